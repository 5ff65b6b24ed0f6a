"""What the actions of `prbgen bon` have in common: the data, and the folder of a policy's candidates."""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.api.folders import data_folder
from prbgen.cli.which_flags import add_which_flags
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError


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


def answers_of(arguments: argparse.Namespace) -> Answers:
    """The candidates that are meant.

    Raises:
        InputError: there are none, or several.
    """
    if arguments.candidates:
        answers = Answers(arguments.candidates)
        if not answers.about.is_file():
            raise InputError(f"{answers.folder}: no candidates in it; `prbgen bon sample` writes them")
        return answers
    below = data_folder(arguments.data)
    found = sorted(folder for folder in below.glob("bon-*") if Answers(folder).about.is_file())
    if not found:
        command = f"prbgen bon sample {arguments.data} --policy MODEL"
        raise InputError(f"{below}: no candidates for {arguments.data}; `{command}` writes them")
    if len(found) > 1:
        names = ", ".join(folder.name for folder in found)
        raise InputError(f"{below}: has several sets of candidates ({names}); name one with --candidates")
    return Answers(found[0])
