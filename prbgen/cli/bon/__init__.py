"""Best-of-N: of N answers of a policy, which one does a reward model choose, and how well does that suit the asker?

`sample` has a policy write N answers to each question, `score` has a reward model score them, `judge` has a judge weigh
them by the asker's rubric, `curve` shows the quality of the best of k by each reward model, beside chance and the best.
"""

from __future__ import annotations

import argparse

from prbgen.cli.actions import add_actions, run_action
from prbgen.cli.bon import curve, judge, sample, score

_ACTIONS = {
    "sample": (sample, "a policy writes N answers to each question"),
    "score": (score, "a reward model scores them"),
    "judge": (judge, "a judge weighs them by the askers' rubrics"),
    "curve": (curve, "the quality of the best of k, by each reward model"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`bon ACTION DATA [...]`."""
    add_actions(parser, _ACTIONS)


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    return run_action(arguments)
