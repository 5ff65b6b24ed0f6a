"""Many machines, or several processes on one: Ray runs what this process, the driver, hands out.

The driver alone owns ledgers and outputs, rate limits and budgets; workers know nothing that could be lost with them.
Importing any of it raises MissingExtraError where Ray is not installed.
"""

from importlib.util import find_spec

from prbgen.errors import MissingExtraError

if not find_spec("ray"):
    raise MissingExtraError("--ray", "ray")
