"""The flags that say what a reward model sees of the asker, the planner's among them."""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.api.folders import POSTS
from prbgen.cli.limit_flags import model_option
from prbgen.cli.which_flags import count
from prbgen.evaluation.settings import CONDITIONS

_SEES = (
    "what the model sees: none (the question), profile (and the asker's posts), planner (and a rubric inferred from"
    " them, without the posts), shuffled (and a stranger's posts: the control), oracle (and the gold rubric: an upper"
    " bound)"
)


def add_condition_flags(parser: argparse.ArgumentParser) -> None:
    """`--condition`, `--posts`, and those of the planner."""
    parser.add_argument("--condition", required=True, choices=CONDITIONS, help=_SEES)
    parser.add_argument("--posts", metavar="N", type=count, default=POSTS, help=f"shown at most ({POSTS})")
    planner = parser.add_argument_group("the planner, which infers rubrics")
    planner.add_argument("--planner", metavar="MODEL", help="its LiteLLM name")
    planner.add_argument("--planner-api-base", metavar="URL", help="where it is served")
    option = "anything else that LiteLLM takes, such as max_tokens=800 (repeatable)"
    planner.add_argument("--planner-option", metavar="KEY=VALUE", type=model_option, action="append", help=option)
    reused = "its replies, for all scorers (default: planner.sqlite beside the folder of results)"
    planner.add_argument("--planner-ledger", metavar="FILE", type=Path, help=reused)
