"""People rate the pairs of a run, in Argilla or on sheets.

`serve` starts an Argilla on this machine, `push` brings a round of ratings to it, `status` shows how far it is, `pull`
brings the ratings back, `adjudicate` gives what raters disagree on to senior raters.
"""

from __future__ import annotations

import argparse

from prbgen.cli.actions import add_actions, run_action
from prbgen.cli.annotate import adjudicate, pull, push, serve, status

_ACTIONS = {
    "serve": (serve, "start an Argilla server on this machine"),
    "push": (push, "bring a round of ratings to its raters"),
    "status": (status, "show how far rounds are"),
    "pull": (pull, "bring the ratings into the run"),
    "adjudicate": (adjudicate, "give what raters disagree on to senior raters"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`annotate ACTION RUN [...]`."""
    add_actions(parser, _ACTIONS)


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    return run_action(arguments)
