"""What judging may take, and what it found, in words and tables."""

from __future__ import annotations

from rich import box
from rich.markup import escape
from rich.table import Table

from prbgen.api.bon import JudgedCandidates
from prbgen.cli.console import stdout
from prbgen.downstream.best_of_n.estimate_judging import JudgingEstimate
from prbgen.formatting import interval, number, price, whole
from prbgen.text import one_line


def show_estimate(estimate: JudgingEstimate) -> None:
    """The same as a table."""
    out = stdout()
    asked = f"{estimate.candidates:,} candidates for {estimate.questions:,} questions, {estimate.answers:,} to judge"
    out.print(f"{asked}; {estimate.recorded:,} replies are on record and cost nothing more", soft_wrap=True)
    if estimate.forecast is None:
        return
    expected = estimate.forecast
    table = Table(box=box.SIMPLE_HEAD, title=escape(expected.model), title_justify="left")
    for title in ("", "low", "high", "at most"):
        table.add_column(title, justify="right" if title else "left")
    rows = {"calls": expected.calls, "prompt tokens": expected.prompt_tokens, "reply tokens": expected.reply_tokens}
    for name, each in rows.items():
        table.add_row(name, *map(whole, (each.low, each.high, each.at_most)))
    cost = expected.cost_usd
    table.add_row("USD", *map(price, (cost.low, cost.high, cost.at_most)))
    out.print(table)


def show(found: JudgedCandidates) -> None:
    """The mean quality of all candidates, of each subset, and what stayed unjudged."""
    out = stdout()
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("", overflow="fold")
    for title in ("questions", "mean quality (0 to 1), 95 % interval"):
        table.add_column(title, justify="right")
    subsets = found.by_subset if len(found.by_subset) > 1 else {}
    for name, share in ({"all": found.quality} | subsets).items():
        value = f"{number(share.value)} {interval(share.ci95)}".strip()
        table.add_row(escape(one_line(name, 60) or "(no subset)"), f"{share.n:,}", value)
    out.print(table)
    told = f"{found.judged:,} candidates are judged by {found.judge}, {found.unjudged:,} stay unjudged"
    cost = f"{found.cost.calls:,} calls, {'cost unknown' if found.cost.usd is None else f'{found.cost.usd:.4f} USD'}"
    for line in (told, *(f"{count:,}: {reason}" for reason, count in found.reasons.items()), cost):
        out.print(f"- {escape(one_line(line))}", soft_wrap=True)
    out.print(f"judgements  {escape(str(found.folder))}  (judgements.jsonl, judging.json)", soft_wrap=True)
