"""What changed: a regenerated dataset against the one before, or new results against old ones.

Datasets: which questions are in both, and which of their pairs have other answers, rubrics or profiles; words,
strategies, generators and categories of each. Results: each scorer's accuracy before and after on the same pairs (or
else the same questions), with a paired 95 % interval by user and an exact test, and how the scorers rank.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from prbgen.cli.showing import as_keywords

if TYPE_CHECKING:
    from prbgen.evaluation.comparing.records import DatasetComparison, ResultsComparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`compare OLD NEW [--json]`."""
    what = "a run, a folder or file of pairs, or a Hub id; or a folder of results, or one above several"
    parser.add_argument("old", metavar="OLD", help=what)
    parser.add_argument("new", metavar="NEW", help="what it is compared with, of the same kind")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Compare, and show it. Returns 1 if the two have nothing in common."""
    from prbgen.api.compare import compare

    found = compare(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(found.model_dump(mode="json"))
    else:
        from prbgen.cli.compare_tables import show

        show(found)
    return 0 if _in_common(found) else 1


def _in_common(found: DatasetComparison | ResultsComparison) -> bool:
    if found.kind == "datasets":
        return found.questions.same > 0
    return any(change.paired.n for change in found.changes)
