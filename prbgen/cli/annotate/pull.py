"""Bring the ratings of a round, and of its adjudication, into the run: RUN/annotation/ROUND/ratings.jsonl.

Raters are under pseudonyms. Ratings that were changed or withdrawn since stay in the file, marked as such.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.cli.annotate.flags import add_home, add_round, add_run
from prbgen.run import Run

if TYPE_CHECKING:
    from prbgen.annotation.pull import Pulled


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`pull RUN --round ROUND [...]`."""
    add_run(parser)
    add_round(parser)
    parser.add_argument(
        "--from", metavar="FOLDER", dest="folder", type=Path, help="without Argilla: the raters' sheets"
    )
    parser.add_argument("--close", action="store_true", help="end the round: its raters can't rate in it any more")
    add_home(parser)


def run(arguments: argparse.Namespace) -> int:
    """Pull. Returns 1 if ratings cannot be what they say, or sheets are missing."""
    from prbgen.annotation.answers import from_argilla, from_sheets, laid_out
    from prbgen.annotation.argilla.connection import connect
    from prbgen.annotation.pull import pull, pull_and_close
    from prbgen.annotation.server import server_of

    place = Run.existing(arguments.run)
    with place.locked():
        places = list(laid_out(place, arguments.round, "sheets" if arguments.folder else "argilla"))
        if arguments.folder:
            pulled = pull(from_sheets(places, arguments.folder), closing=arguments.close)
        else:
            server = server_of(place, arguments.home)
            with connect(server.url, server.key) as connection:
                pulled = (
                    pull_and_close(places, connection) if arguments.close else pull(from_argilla(places, connection))
                )
    results = [_result(each) for each in pulled]
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json({"rounds": results})
    else:
        _show(results)
    return 1 if any(each["flagged"] or each["sheets_missing"] for each in results) else 0


def _result(pulled: Pulled) -> dict[str, Any]:
    from collections import Counter

    ratings = pulled.merged.ratings
    flags = Counter(each.flag for each in ratings if each.flag and each.gone is None)
    return {
        "round": pulled.campaign.round,
        "senior": pulled.campaign.senior,
        "closed_at": pulled.campaign.closed_at,
        "file": str(pulled.place.ratings),
        "items": pulled.items,
        "complete": pulled.complete,
        "sheets_missing": pulled.missing,
        "ratings": sum(each.gone is None for each in ratings),
        "new": pulled.merged.new,
        "replaced": pulled.merged.replaced,
        "withdrawn": pulled.merged.withdrawn,
        "unchanged": pulled.merged.unchanged,
        "raters": len({each.rater for each in ratings if each.gone is None}),
        "drafts": sum(each.status == "draft" for each in pulled.unsubmitted),
        "discarded": sum(each.status == "discarded" for each in pulled.unsubmitted),
        "flagged": dict(flags.most_common()),
    }


def _show(results: list[dict[str, Any]]) -> None:
    from rich.markup import escape

    from prbgen.cli.console import stdout
    from prbgen.terminal import stderr

    out, remarks = stdout(), stderr()
    for each in results:
        for flag, count in list(each["flagged"].items())[:10]:
            remarks.print(f"[yellow]flagged {count} x[/] {escape(flag)}", soft_wrap=True)
        if each["flagged"]:
            told = "flagged answers cannot be what they say: each has its reason in the file, and should not count"
            remarks.print(told, soft_wrap=True)
        if each["sheets_missing"]:
            told = "raters' sheets were not in the folder; what they gave earlier stays as it is"
            remarks.print(f"{each['sheets_missing']} {told}", soft_wrap=True)
        if each["closed_at"] and each["complete"] < each["items"]:
            left = each["items"] - each["complete"]
            remarks.print(f"closed, with {left} of {each['items']} items short of responses", soft_wrap=True)
        who = "senior " if each["senior"] else ""
        counts = f"{each['new']} new, {each['replaced']} replaced, {each['withdrawn']} withdrawn"
        out.print(f"{each['ratings']} {who}ratings by {each['raters']} raters ({counts})")
        out.print(f"{each['drafts']} drafts, {each['discarded']} discarded items")
        out.print(f"ratings  {escape(each['file'])}", soft_wrap=True)
        if each["closed_at"]:
            what = "adjudication of the round" if each["senior"] else "round"
            out.print(f"the {what} {each['round']} is closed")
