"""Policies that write answers on this machine, by transformers.

Importing any of it raises MissingExtraError where torch or transformers is not installed.
"""

from importlib.util import find_spec

from prbgen.errors import MissingExtraError

if not (find_spec("torch") and find_spec("transformers")):
    raise MissingExtraError("a policy on this machine", "ppo")
