"""A study in a terminal."""

from __future__ import annotations

from rich import box
from rich.markup import escape
from rich.table import Table

from prbgen.cli.console import stdout
from prbgen.downstream.study.study import Studied
from prbgen.evaluation.report.tables import LEGEND, conditions_table
from prbgen.formatting import UNKNOWN, number


def show(studied: Studied) -> None:
    """Accuracies, quality of the best of N, what the correlations say, and where the report is."""
    out = stdout()
    best = {name: number(share.value) if share else UNKNOWN for name, share in studied.best_of_n.items()}
    for evaluated in studied.report.sets:
        found = conditions_table(evaluated)
        table = Table(box=box.SIMPLE_HEAD)
        for place, head in enumerate(found.heads):
            table.add_column(escape(head), overflow="fold", justify="right" if place else "left")
        if studied.curves:
            table.add_column(f"best of {studied.curves.n}", justify="right")
        for row in found.rows:
            cells = [cell.replace(" [", "\n[").replace("] (", "]\n(").replace("; ", "\n") for cell in row[1:]]
            table.add_row(escape(row[0]), *map(escape, cells), *([best.get(row[0], UNKNOWN)] if studied.curves else []))
        out.print(table)
    out.print(LEGEND, markup=False, soft_wrap=True)
    for each in studied.correlations.comparisons if studied.correlations else ():
        out.print(f"- {each.sentence}", markup=False, soft_wrap=True)
    if studied.uncorrelated:
        out.print(f"- no correlation: {studied.uncorrelated}", markup=False, soft_wrap=True)
    for step, why in studied.failed.items():
        out.print(f"- {step}: left out, as: {why}", markup=False, soft_wrap=True)
    for step, what in studied.short.items():
        out.print(f"- {step}: {what}", markup=False, soft_wrap=True)
    out.print(f"report   {studied.folder.page}, {studied.folder.document}", markup=False, soft_wrap=True)
