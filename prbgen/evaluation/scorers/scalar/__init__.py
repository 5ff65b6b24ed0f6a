"""Reward models that give one answer one number: transformers sequence classifiers.

Importing any of it raises MissingExtraError where torch or transformers is not installed.
"""

from importlib.util import find_spec

from prbgen.errors import MissingExtraError

if not (find_spec("torch") and find_spec("transformers")):
    raise MissingExtraError("a scalar reward model", "scalar")
