"""What the actions of `prbgen bon` have in common: the data, and the folder of a policy's candidates."""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.which_flags import add_which_flags


def add_data(parser: argparse.ArgumentParser) -> None:
    """DATA."""
    data = "questions with their askers' posts: a dataset, a run, LaMP-QA's own files, a Hub id, or samples"
    parser.add_argument("data", metavar="DATA", help=data)


def add_which_questions(parser: argparse.ArgumentParser) -> None:
    """Which of its questions."""
    add_which_flags(parser.add_argument_group("which questions"), "questions")


def add_candidates_flag(parser: argparse.ArgumentParser) -> None:
    """`--candidates`."""
    default = "what `bon sample` wrote (default: its one folder below results/DATA)"
    parser.add_argument("--candidates", metavar="DIR", type=Path, help=default)
