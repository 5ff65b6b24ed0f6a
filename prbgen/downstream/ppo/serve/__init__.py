"""A reward server: any reward model of `evaluate` behind the protocol of prbgen/reward_protocol.py.

Importing any of it raises MissingExtraError where FastAPI, uvicorn or prometheus_client is not installed.
"""

from importlib.util import find_spec

from prbgen.errors import MissingExtraError

if not all(find_spec(name) for name in ("fastapi", "uvicorn", "prometheus_client")):
    raise MissingExtraError("a reward server", "serve")
