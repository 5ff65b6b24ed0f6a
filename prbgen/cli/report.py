"""Results of evaluations as a leaderboard page with plots, and as Markdown and LaTeX tables."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.cli.showing import as_keywords

if TYPE_CHECKING:
    from prbgen.api.report import Reported


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`report RESULTS... [...]`."""
    parser.add_argument(
        "results", metavar="RESULTS", nargs="+", type=Path, help="a folder of results, or one above several"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="where the files go (default: report)")
    parser.add_argument(
        "--data",
        metavar="DATA",
        help="where to read the pairs on which models disagree (default: where the results say, if that is there)",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Compare results, write the files, and show the leaderboards. Returns 1 if no pair is scored."""
    from prbgen.api.report import report

    found = report(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(found.document())
    else:
        _show(found)
    return 0 if found.scored else 1


def _show(report: Reported) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from prbgen.cli.console import stdout
    from prbgen.evaluation.report.tables import LEGEND, conditions_table
    from prbgen.evaluation.report.wording import outcome, repeat, size
    from prbgen.text import one_line

    out = stdout()
    if len(report.sets) > 1:
        out.print(f"{len(report.sets)} sets of pairs, which are not compared with each other:", soft_wrap=True)
    for evaluated in report.sets:
        names = one_line(", ".join(evaluated.names))
        out.print(f"{escape(names)}: {size(evaluated.pairs, evaluated.users)}", soft_wrap=True)
        found = conditions_table(evaluated)
        table = Table(box=box.SIMPLE_HEAD)
        for place, head in enumerate(found.heads):
            table.add_column(escape(head), overflow="fold", justify="right" if place else "left")
        for row in found.rows:
            cells = (cell.replace(" [", "\n[").replace("] (", "]\n(").replace("; ", "\n") for cell in row[1:])
            table.add_row(escape(row[0]), *map(escape, cells))
        out.print(table)
        for contrast in evaluated.contrasts:
            out.print(f"- {contrast.question} {outcome(contrast)}", soft_wrap=True)
        if evaluated.repeats:
            out.print("- Left out, as each repeats a result that is shown:", soft_wrap=True)
        for each in evaluated.repeats:
            out.print(f"    {escape(one_line(repeat(each)))}", soft_wrap=True)
    out.print(LEGEND, markup=False, soft_wrap=True)
    out.print(f"report   {escape(', '.join(map(str, report.files)))}", soft_wrap=True)
