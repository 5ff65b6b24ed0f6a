"""Correlations in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from prbgen.cli.console import stdout
from prbgen.downstream.correlate.coefficients import titles
from prbgen.downstream.correlate.records import Correlation, Correlations, Difference, SideFacts
from prbgen.formatting import chance, interval, number, signed
from prbgen.text import one_line

_RESAMPLED = {
    "both": "Intervals resample the users of both sides together.",
    "benchmark": "Intervals resample the users of the benchmark alone: of the other side no items are known.",
    "downstream": "Intervals resample the users downstream alone: of the benchmark no items are known.",
}


def show(found: Correlations, files: Sequence[Path]) -> None:
    """Each comparison, then differences between benchmarks, then where the files are."""
    out = stdout()
    for each in found.comparisons:
        _show_one(out, each)
    if found.differences:
        _show_differences(out, found.differences)
    out.print(f"files    {escape(', '.join(map(str, files)))}", soft_wrap=True)


def _show_one(out: Console, found: Correlation) -> None:
    out.print(f"{escape(found.benchmark.label)} -> {escape(found.downstream.label)}", style="bold", soft_wrap=True)
    for side in (found.benchmark, found.downstream):
        _show_left_out(out, side)
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("")
    for head in ("value", "95 % interval", "p", "by chance"):
        table.add_column(head, justify="right")
    for name, title in titles().items():
        each = found.of(name)
        table.add_row(
            title, _minus(number(each.value)), _minus(interval(each.ci95)), chance(each.p),
            _minus(number(each.chance)),
        )  # fmt: skip
    out.print(table)
    out.print(found.sentence, markup=False, soft_wrap=True)
    for note in found.notes:
        out.print(f"- {note}", markup=False, soft_wrap=True)
    drawn = "all orders of the models" if found.p_method == "exact" else f"{found.permutations:,} random orders"
    out.print(f"p: {drawn}, one-sided. {_resampled(found)}\n", style="dim", soft_wrap=True)


def _resampled(found: Correlation) -> str:
    if found.resampled:
        return _RESAMPLED[found.resampled]
    return f"No intervals: {found.spearman.reason or 'there are no items to resample'}."


def _show_left_out(out: Console, side: SideFacts) -> None:
    if side.left_out:
        names = one_line(", ".join(side.left_out), 1000)
        out.print(f"Left out, as only {escape(side.label)} has them: {escape(names)}", soft_wrap=True)


def _show_differences(out: Console, differences: Sequence[Difference]) -> None:
    for (first, second, downstream), rows in groupby(
        differences, lambda each: (each.first, each.second, each.downstream)
    ):
        said = f"{second} rather than {first} -> {downstream}"
        out.print(escape(said), style="bold", soft_wrap=True)
        table = Table(box=box.SIMPLE_HEAD)
        table.add_column("")
        for head in ("second - first", "95 % interval", "p", "p (Holm)"):
            table.add_column(head, justify="right")
        for each in rows:
            ends = interval(each.ci95, sign=True)
            table.add_row(titles()[each.metric], signed(each.value), ends, chance(each.p), chance(each.p_holm))
        out.print(table)
    out.print("p: ranks of each model swapped between the two, two-sided.\n", style="dim", soft_wrap=True)


def _minus(text: str) -> str:
    return text.replace("-", "−")
