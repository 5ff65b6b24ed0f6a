"""The flags of `prbgen evaluate`."""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.condition_flags import add_condition_flags
from prbgen.cli.scorer_flags import add_scorer_flags
from prbgen.cli.which_flags import add_which_flags


def add_evaluate_flags(parser: argparse.ArgumentParser) -> None:
    """All flags but those of the output."""
    data = (
        "a dataset, plain chosen / rejected pairs, PRISM or Chatbot Arena conversations: folder, file, Hub id; or a run"
    )
    parser.add_argument("data", metavar="DATA", help=data)
    add_condition_flags(parser)
    parser.add_argument("--protocol", choices=("released",), help="as published: judges see one order, by seed 42")
    parser.add_argument("--prompts", metavar="DIR", type=Path, help="templates that come before the shipped ones")
    add_which_flags(parser.add_argument_group("which pairs, and how much of them"), "pairs")
    add_scorer_flags(parser, "judge, rate, http, pooling, and the planner")
