"""Lay out a round of ratings and bring it to Argilla: workspace, raters' accounts, guidelines, records.

Pushing again changes nothing, adds what `generate` has added since, and goes on after an interruption. Rounds: quality
(no profile, no rubric), blind (the asker's posts), rubric (posts and rubric); nobody can rate in an earlier round after
a later one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.cli.annotate.flags import add_home, add_round, add_run, refuse_mixed
from prbgen.errors import InputError
from prbgen.run import Run

if TYPE_CHECKING:
    from prbgen.annotation.lay_out import Request

_SETTINGS = ("raters_per_item", "sample", "gold", "repeats", "seed", "simulated")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`push RUN --round ROUND [...]`."""
    add_run(parser)
    add_round(parser, required=False)
    parser.add_argument("--raters", metavar="FILE", type=Path, help="a CSV file with a column username")
    parser.add_argument("--to", metavar="FOLDER", type=Path, help="without Argilla: write one CSV a rater there")
    parser.add_argument("--raters-per-item", metavar="N", type=int, help="how many people rate an item (3)")
    parser.add_argument("--sample", metavar="N", type=int, help="only so many pairs, over all subsets and strategies")
    parser.add_argument("--gold", metavar="SHARE", type=float, help="items whose answer is known, by pairs (0.05)")
    parser.add_argument("--repeats", metavar="SHARE", type=float, help="items shown twice, by pairs (0.05)")
    parser.add_argument("--seed", metavar="N", type=int, help="of sample, sides and order (0)")
    rehearsal = "the raters are programs, as in a rehearsal: what they say validates no pair"
    parser.add_argument("--simulated", action="store_const", const=True, help=rehearsal)
    own = "your guidelines/, questions/, layout/, gold/ (default: annotation/ beside the runs/ that RUN is in)"
    parser.add_argument("--annotation", metavar="DIR", type=Path, help=own)
    parser.add_argument("--workspace", metavar="NAME", help="an empty workspace that is there (default: a new one)")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--new", action="store_true", help="begin the round afresh; the earlier one is kept and closed")
    either.add_argument("--reopen", action="store_true", help="go on with a round that was closed")
    parser.add_argument("--reset-password", metavar="USERNAME", help="only this: give a rater a new password")
    add_home(parser)


def run(arguments: argparse.Namespace) -> int:
    """Push. Returns 1 if not all came out as asked, such as pairs that can't be rated."""
    from prbgen.annotation.bring import to_argilla, to_sheets
    from prbgen.annotation.lay_out import lay_out
    from prbgen.annotation.server import server_of
    from prbgen.cli.annotate.watching import Account, result_of, show, watching

    place = Run.existing(arguments.run)
    if arguments.reset_password:
        return _reset(place, arguments)
    request = _request(arguments)
    accounts: list[Account] = []
    with place.locked():
        laid = lay_out(place, request)
        if arguments.to:
            brought = to_sheets(place, laid, arguments.to)
        else:
            server = server_of(place, arguments.home)
            with watching(accounts, json=arguments.json) as watch:
                brought = to_argilla(place, laid, server, watch)
    result = result_of(laid, brought, accounts)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(result)
    else:
        show(result)
    return 1 if result["short"] else 0


def _request(arguments: argparse.Namespace) -> Request:
    from prbgen.annotation.lay_out import Request
    from prbgen.annotation.roster import read_roster

    if arguments.round is None:
        raise InputError("--round: which round? quality, blind or rubric")
    refuse_mixed(arguments)
    own: Path | None = arguments.annotation
    if own and not own.is_dir():
        raise InputError(f"{own}: no such folder; `prbgen init DIR` writes one (DIR/annotation)")
    return Request(
        round=arguments.round,
        way="sheets" if arguments.to else "argilla",
        raters=read_roster(arguments.raters) if arguments.raters else (),
        settings={key: getattr(arguments, key) for key in _SETTINGS},
        own=own or _beside(arguments.run),
        workspace=arguments.workspace,
        new=arguments.new,
        reopen=arguments.reopen,
    )


def _beside(run: Path) -> Path | None:
    """The annotation/ of the folder that `prbgen init` wrote, for a run that `prbgen generate` put into its runs/."""
    runs = run.resolve().parent
    own = runs.parent / "annotation"
    return own if runs.name == "runs" and (own / "guidelines").is_dir() else None


def _reset(place: Run, arguments: argparse.Namespace) -> int:
    from prbgen.annotation.argilla.accounts import reset_password
    from prbgen.annotation.argilla.connection import connect
    from prbgen.annotation.server import server_of

    server = server_of(place, arguments.home)
    with connect(server.url, server.key) as connection:
        password = reset_password(connection, arguments.reset_password)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json({"accounts": [{"username": arguments.reset_password, "password": password}]})
    else:
        print(f"{arguments.reset_password}  {password}  (shown this once; the old one is void)")
    return 0
