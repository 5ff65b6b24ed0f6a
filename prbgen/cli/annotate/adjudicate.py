"""Give the items on which raters disagree, by the ratings pulled last, to senior raters in a workspace of their own.

`pull` brings their ratings back with those of the round.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.annotate.flags import add_home, add_round, add_run, refuse_mixed
from prbgen.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`adjudicate RUN --round ROUND --raters FILE [...]`."""
    add_run(parser)
    add_round(parser)
    parser.add_argument("--raters", metavar="FILE", type=Path, help="a CSV file with the senior raters' usernames")
    parser.add_argument("--to", metavar="FOLDER", type=Path, help="without Argilla: write one CSV a rater there")
    parser.add_argument("--workspace", metavar="NAME", help="an empty workspace that is there (default: a new one)")
    add_home(parser)


def run(arguments: argparse.Namespace) -> int:
    """Adjudicate. Returns 0, also if there is nothing to do."""
    from prbgen.annotation.adjudicate import lay_out_adjudication
    from prbgen.annotation.bring import to_argilla, to_sheets
    from prbgen.annotation.campaign import Way
    from prbgen.annotation.roster import read_roster
    from prbgen.annotation.server import server_of
    from prbgen.cli.annotate.watching import Account, result_of, show, watching

    refuse_mixed(arguments)
    place = Run.existing(arguments.run)
    raters = read_roster(arguments.raters) if arguments.raters else ()
    accounts: list[Account] = []
    result = None
    with place.locked():
        way: Way = "sheets" if arguments.to else "argilla"
        laid, found = lay_out_adjudication(place, arguments.round, way, raters, arguments.workspace)
        if laid and arguments.to:
            result = result_of(laid, to_sheets(place, laid, arguments.to), accounts)
        elif laid:
            server = server_of(place, arguments.home)
            with watching(accounts, json=arguments.json) as watch:
                result = result_of(laid, to_argilla(place, laid, server, watch), accounts)
    cases = [{"item": each.item.id, "pair_id": each.item.pair_id, "reasons": list(each.reasons)} for each in found]
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json((result or {"created": 0, "updated": 0, "unchanged": 0, "datasets": {}}) | {"disagreements": cases})
        return 0
    print(f"raters disagree on {len(cases)} items")
    if result:
        show(result)
    elif not cases:
        print("nothing to adjudicate")
    else:
        print("all of them are with the senior raters already")
    return 0
