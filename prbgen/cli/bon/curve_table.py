"""How curves look in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.markup import escape
from rich.table import Table

from prbgen.api.bon import DrawnCurves
from prbgen.cli.console import stdout
from prbgen.downstream.best_of_n.standing import backdrop, ranked
from prbgen.downstream.facts import Curve, Curves
from prbgen.downstream.folders import JudgedBy
from prbgen.evaluation.summary import Share
from prbgen.formatting import interval, number
from prbgen.text import one_line


def show(curves: DrawnCurves) -> None:
    """By reward model the quality at each k, the best one first; then random choice and oracle."""
    out = stdout()
    split = f", split {curves.split}" if curves.split else ""
    policy = f"{curves.policy}, condition {curves.condition}, on {curves.data}{split}"
    out.print(escape(one_line(f"{policy}: {curves.questions:,} questions, judged by {curves.judge}")), soft_wrap=True)
    out.print("Expected quality of best-of-k (0 to 1):")
    out.print(_table(curves))
    for line in _remarks(curves):
        out.print(f"- {escape(one_line(line))}", soft_wrap=True)
    judged_by = JudgedBy(curves.folder)
    plot, document = judged_by.plot, judged_by.curve.name
    out.print(f"curves   {escape(str(plot))}  ({document} has all intervals)", soft_wrap=True)


def _table(curves: Curves) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("", overflow="fold")
    heads = [f"k = {k}" if k == curves.ks[0] else str(k) for k in curves.ks]
    for head in (*heads, f"95 % at {curves.n}", f"recovered at {curves.n}", "questions"):
        table.add_column(head, justify="right")
    for curve in ranked(curves):
        last = curve.points[-1]
        recovered = f"{number(last.recovered.value)}\n{interval(last.recovered.ci95)}".strip()
        table.add_row(_name(curve), *_shares([p.quality for p in curve.points]), recovered, f"{last.questions:,}")
    if frame := backdrop(curves):
        last = frame.points[-1]
        for name, shares in (
            ("random choice", [point.random for point in frame.points]),
            ("oracle (the judge's best)", [point.oracle for point in frame.points]),
        ):
            table.add_row(name, *_shares(shares), "", f"{last.questions:,}", style="dim")
    return table


def _name(curve: Curve) -> str:
    note = f", {curve.note}" if curve.note else ""
    return escape(one_line(f"{curve.scorer} ({curve.condition}{note})"))


def _shares(shares: list[Share]) -> list[str]:
    return [*(number(share.value) for share in shares), interval(shares[-1].ci95)]


def _remarks(curves: Curves) -> Iterator[str]:
    for curve in ranked(curves):
        name = f"{curve.scorer} ({curve.condition})"
        short = curve.points[0].questions - curve.points[-1].questions
        if curve.unusable:
            yield f"{name}: {curve.unusable:,} questions have no answer with both a score and a quality"
        if short:
            yield f"{name}: {short:,} more have fewer than {curves.n} such answers, and are left out where k is greater"
    yield "recovered: the share of the way from random choice to the judge's best, of the means"
