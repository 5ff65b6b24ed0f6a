"""Does a benchmark rank reward models as their use does? Rank correlations, with what chance alone would bring.

Either side: folders of results (evaluations, Best-of-N, answers of policies that were trained), or a JSON file
{"KIND:MODEL": score, ...}. Evaluations of the same pairs under one condition are one benchmark; each benchmark is
compared with each result downstream, and several benchmarks with each other. Intervals resample users, p-values pair
the models at random. Writes correlation.json and correlation.svg.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.showing import as_keywords
from prbgen.cli.which_flags import count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`correlate --benchmark RESULTS... --downstream RESULTS... [...]`."""
    what = "folders of results, or above some; or JSON files of scores"
    for role, meaning in (("benchmark", "what is to predict"), ("downstream", "what is to be predicted")):
        parser.add_argument(
            f"--{role}", metavar="RESULTS", nargs="+", action="extend", type=Path, required=True,
            help=f"{meaning}: {what}",
        )  # fmt: skip
    at = "Best-of-N: candidates to choose among (default: the most that all reward models have)"
    parser.add_argument("--k", metavar="N", type=count, help=at)
    parser.add_argument("--common", action="store_true", help="leave out models that are on one side only")
    where = "where the files go (default: correlation)"
    parser.add_argument("--out", metavar="DIR", type=Path, help=where)
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Compare, write the files, and show what was found. Returns 0 also if that is inconclusive: it is an answer."""
    from prbgen.api.correlate import correlate

    correlated = correlate(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(correlated.document())
    else:
        from prbgen.cli.correlate_tables import show

        show(correlated.found, correlated.files)
    return 0
