"""The flags that the actions of `prbgen annotate` share."""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.annotation.campaign import ROUNDS
from prbgen.errors import InputError


def add_run(parser: argparse.ArgumentParser) -> None:
    """RUN and --json."""
    parser.add_argument("run", metavar="RUN", type=Path, help="a run folder, as `prbgen generate` names it")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_round(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """--round."""
    parser.add_argument("--round", choices=ROUNDS, required=required, help="which round")


def add_home(parser: argparse.ArgumentParser) -> None:
    """--home."""
    told = "the data folder of an embedded server (default: what ARGILLA_API_URL names, else RUN/annotation/server)"
    parser.add_argument("--home", metavar="DIR", type=Path, help=told)


def refuse_mixed(arguments: argparse.Namespace) -> None:
    """Refuse flags that are about Argilla beside one that does without."""
    if arguments.to and (arguments.workspace or arguments.home):
        raise InputError("--to writes sheets: --workspace and --home are about Argilla")
