"""A policy is trained with a reward model on one machine: TRL's PPO trainer, or its GRPO trainer.

Importing any of it raises MissingExtraError where torch, transformers or trl is not installed.
"""

import os
from importlib.util import find_spec

from prbgen.errors import MissingExtraError

if not all(map(find_spec, ("torch", "transformers", "trl"))):
    raise MissingExtraError("training a policy", "ppo")

# It would say of each import that its PPO trainer is experimental.
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
