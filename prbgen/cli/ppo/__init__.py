"""Policies trained with a reward model, and what their answers are worth to the askers.

`prepare` makes training data and settings of questions, `serve` serves a reward model to a training, `train` trains on
this machine, `answer` has a policy answer the questions of a benchmark, to be judged by the askers' rubrics.
"""

from __future__ import annotations

import argparse

from prbgen.cli.actions import add_actions, run_action
from prbgen.cli.ppo import answer, prepare, serve, train

_ACTIONS = {
    "prepare": (prepare, "training data and settings"),
    "serve": (serve, "a reward server"),
    "train": (train, "PPO or GRPO on this machine"),
    "answer": (answer, "a policy's answers, judged by the askers' rubrics"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`ppo ACTION [...]`."""
    add_actions(parser, _ACTIONS)


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    return run_action(arguments)
