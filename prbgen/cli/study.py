"""Everything for a list of reward models, in one report: how often they are right, what they bring in Best-of-N and
PPO, and whether the one tells the other.

STUDY.toml says which models, on what data. What is done is kept: the same command goes on. With --demo, three tiny
models with random weights are made here and studied on the pairs of `prbgen demo`: what comes out says nothing of any
model, and shows what a study looks like.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.showing import as_keywords


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`study STUDY.toml [--out DIR]`."""
    parser.add_argument("study", metavar="STUDY.toml", nargs="?", type=Path, help="what to study")
    parser.add_argument("--demo", action="store_true", help="a small study that needs no key, in minutes")
    parser.add_argument("--out", metavar="DIR", type=Path, help="for all of it (default: studies/STUDY)")
    parser.add_argument("--prompts", metavar="DIR", type=Path, help="templates that come before the shipped ones")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do the study and say where its report is. Returns 1 if something was left out."""
    from prbgen.api.study import study

    studied = study(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json
        from prbgen.downstream.study.report import document

        print_json(document(studied))
    else:
        from prbgen.cli.study_tables import show

        show(studied)
    return 1 if studied.fell_short else 0
