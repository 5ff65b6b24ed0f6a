"""The flags of `prbgen evaluate`, and the evaluation that they ask for."""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.condition_flags import POSTS, add_condition_flags, planner_of
from prbgen.cli.results_folder import data_folder
from prbgen.cli.scorer_flags import add_scorer_flags, scorer_of
from prbgen.cli.which_flags import add_which_flags, data_settings
from prbgen.evaluate.settings import Evaluation, ScorerSettings
from prbgen.text import folder_name


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


def evaluation_of(arguments: argparse.Namespace) -> tuple[Evaluation, Path]:
    """What the flags ask for, and the folder for its results.

    Raises:
        InputError: they do not go together.
    """
    scorer = scorer_of(arguments)
    folder = arguments.out or _default_folder(arguments, scorer)
    planner = planner_of(arguments, folder)
    return Evaluation(data_settings(arguments), arguments.condition, scorer, arguments.posts, planner), folder


def _default_folder(arguments: argparse.Namespace, scorer: ScorerSettings) -> Path:
    """results/DATA/KIND-MODEL-CONDITION, and whatever else of the pairs or the posts is not as by default."""
    posts = f"{arguments.posts}-posts" if arguments.posts != POSTS else ""
    parts = (arguments.condition, arguments.protocol or "", posts, arguments.split, *arguments.subset)
    return data_folder(arguments.data) / folder_name(scorer.kind, scorer.short, *parts)
