"""How one evaluation looks in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich import box
from rich.markup import escape
from rich.table import Table

from prbgen.cli.console import stdout
from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.results import Results
from prbgen.evaluation.summary import Group, Summary
from prbgen.formatting import interval, number, usd
from prbgen.text import one_line

_REASONS = 5


def show(summary: Summary, results: Results) -> None:
    """The figures, an example of each reason, and where the results lie."""
    out = stdout()
    condition = f"{summary.condition} ({summary.note})" if summary.note else summary.condition
    split = f", split {summary.split}" if summary.split else ""
    title = one_line(f"{summary.scorer} on {summary.data}{split}, condition {condition}")
    out.print(escape(title), soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("", overflow="fold")
    for title in ("pairs", "accuracy, 95 % interval", "ties half", "ties", "unscored", "truncated"):
        table.add_column(title, justify="right")
    _add(table, "all", summary)
    # Of data without subsets the categories are all that parts it.
    parts = summary.by_subset if any(summary.by_subset) else summary.by_category
    for groups in (parts, summary.by_strategy, summary.by_generator):
        _add_all(table, groups)
    out.print(table)
    for line in _facts(summary, results):
        out.print(f"- {escape(one_line(line))}", soft_wrap=True)
    out.print(
        f"results  {escape(str(results.folder))}  (items.jsonl, summary.json; `prbgen report` makes a page)",
        soft_wrap=True,
    )


def _add_all(table: Table, groups: Mapping[str, Group]) -> None:
    # One group that is everything says nothing new.
    if len(groups) > 1:
        for name, group in groups.items():
            _add(table, escape(one_line(name, 60) or "(no subset)"), group)


def _add(table: Table, name: str, group: Group) -> None:
    table.add_row(
        name,
        f"{group.n:,}",
        f"{number(group.accuracy.value)} {interval(group.accuracy.ci95)}".strip(),
        number(group.accuracy_half),
        *(f"{count:,}" for count in (group.ties, group.unscored, group.truncated)),
    )


def _facts(summary: Summary, results: Results) -> list[str]:
    lines = []
    if summary.unscored and summary.bounds:
        low, high = summary.bounds
        bounds = f"{low:.3f} if all unscored pairs were lost, {high:.3f} if they were won"
        lines.append(f"coverage {number(summary.coverage)}; the accuracy would be {bounds}")
        examples = _examples(results.items())
        for kind, count in list(summary.reasons.items())[:_REASONS]:
            lines.append(f"unscored {count:,} x: {examples.get(kind, kind)}")
    if summary.order_consistency is not None:
        lines.append(f"order consistency {number(summary.order_consistency)} (disagreeing orders are ties)")
    if summary.position_bias is not None:
        lines.append(f"says A in {number(summary.position_bias.says_a.value)} of its verdicts")
    length = summary.length_bias
    if length.longer_wins.value is not None:
        chosen = f"chosen is the longer one in {number(length.chosen_longer.value)}"
        lines.append(f"prefers the longer answer in {number(length.longer_wins.value)} of pairs ({chosen})")
    for name, share in summary.further.items():
        lines.append(f"{name.replace('_', ' ')} {number(share.value)} {interval(share.ci95)}".rstrip())
    if summary.cost:
        lines.append(f"{summary.cost.calls:,} calls, {_price(summary.cost.usd)}")
    if summary.planner:
        lines.append(f"planner {summary.planner}: {_price(summary.planner_usd)}")
    return lines


def _examples(items: Iterable[ScoredItem]) -> dict[str, str]:
    """The first reason of each kind, whole."""
    reasons = [item.reason for item in items if item.reason]
    return {reason.partition(": ")[0]: reason for reason in reversed(reasons)}


def _price(amount: float | None) -> str:
    return "cost unknown" if amount is None else usd(amount)
