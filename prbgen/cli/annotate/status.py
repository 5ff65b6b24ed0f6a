"""Show how far rating rounds are: by rater and subset what is done and pending, pace, time left, gold items so far."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.cli.annotate.flags import add_home, add_round, add_run
from prbgen.errors import InputError
from prbgen.run import Run

if TYPE_CHECKING:
    from rich.console import Console, Group

    from prbgen.annotation.standing import Standing

_EVERY = 10.0  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`status RUN [--round ROUND] [--watch]`."""
    add_run(parser)
    add_round(parser, required=False)
    parser.add_argument(
        "--from", metavar="FOLDER", dest="folder", type=Path, help="without Argilla: the raters' sheets"
    )
    told = f"go on until Ctrl-C, and look again every SECONDS ({_EVERY:g})"
    parser.add_argument("--watch", metavar="SECONDS", type=float, nargs="?", const=_EVERY, help=told)
    add_home(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show it once, or again and again. Nothing is changed."""
    from prbgen.annotation.answers import from_argilla, from_sheets, laid_out
    from prbgen.annotation.argilla.connection import connect
    from prbgen.annotation.campaign import Way
    from prbgen.annotation.server import server_of
    from prbgen.annotation.standing import rounds_of, standing

    if arguments.json and arguments.watch is not None:
        raise InputError("--watch shows a table; with --json there is one document")
    place = Run.existing(arguments.run)
    way: Way = "sheets" if arguments.folder else "argilla"
    rounds = [arguments.round] if arguments.round else rounds_of(place, way)
    if arguments.folder and len(rounds) > 1:
        raise InputError(f"--round: whose sheets are these? {' or '.join(rounds)}")
    places = [each for name in rounds for each in laid_out(place, name, way)]
    if arguments.folder:
        _show(arguments, lambda: [standing(each) for each in from_sheets(places, arguments.folder)])
        return 0
    server = server_of(place, arguments.home)
    with connect(server.url, server.key) as connection:
        _show(arguments, lambda: [standing(each) for each in from_argilla(places, connection)])
    return 0


def _show(arguments: argparse.Namespace, look: Callable[[], list[Standing]]) -> None:
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json({"rounds": [_document(each) for each in look()]})
        return
    from rich.console import Group

    from prbgen.cli.annotate.status_table import tables
    from prbgen.cli.console import stdout

    console = stdout()

    def draw() -> Group:
        return Group(*(table for each in look() for table in tables(each)))

    if arguments.watch is None:
        console.print(draw())
        return
    try:
        _watch(console, draw, max(arguments.watch, 1.0))
    except KeyboardInterrupt:
        return


def _watch(console: Console, draw: Callable[[], Group], seconds: float) -> None:
    """On a terminal each look takes the place of the one before; elsewhere they follow each other."""
    from rich.console import Group
    from rich.live import Live

    def timed() -> Group:
        drawn = draw()
        return Group(drawn, f"[dim]looked at {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC[/]")

    if not console.is_terminal:
        while True:
            console.print(timed())
            time.sleep(seconds)
    with Live(console=console, auto_refresh=False) as live:
        while True:
            live.update(timed(), refresh=True)
            time.sleep(seconds)


def _document(standing: Standing) -> dict[str, Any]:
    campaign = standing.campaign
    told = asdict(standing.progress)
    for rater in told["raters"]:
        rater["username"] = standing.names.get(rater["rater"])
    head = {"round": campaign.round, "senior": campaign.senior, "closed_at": campaign.closed_at}
    return head | told
