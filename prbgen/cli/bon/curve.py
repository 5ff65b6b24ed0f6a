"""Show what reward models bring when they choose the best of k answers, beside random choice and the judge's best."""

from __future__ import annotations

import argparse

from prbgen.cli.bon.flags import add_candidates_flag, add_data
from prbgen.cli.showing import as_keywords


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`curve DATA [--candidates DIR] [--judge MODEL]`."""
    add_data(parser)
    add_candidates_flag(parser)
    parser.add_argument(
        "--judge", metavar="MODEL", default="", help="whose qualities count (default: the only judge's)"
    )
    parser.add_argument("--json", action="store_true", help="print curve.json")


def run(arguments: argparse.Namespace) -> int:
    """Compute the curves, write them, and show them. Returns 1 if a reward model has no point, or is not done."""
    from prbgen.api.bon import curve

    curves = curve(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(curves.model_dump(mode="json"))
    else:
        from prbgen.cli.bon.curve_table import show

        show(curves)
    known = all(each.points[0].quality.value is not None for each in curves.models.values())
    return 0 if known and not curves.unfinished else 1
