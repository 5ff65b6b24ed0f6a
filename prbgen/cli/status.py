"""Show what is done, what failed and why, and what it took: calls, tokens, money."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from prbgen.recipe import load_recipe
from prbgen.run import Run, read_records
from prbgen.schema import Pair, Reject

_BUDGETS = {"budget_usd": "USD", "budget_tokens": "tokens"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`status RUN`."""
    parser.add_argument("run", metavar="RUN", type=Path, help="a run folder, as `prbgen generate` names it")
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Read the run's files; nothing is changed, and a process that works on the run is not disturbed."""
    report = _report(Run.existing(arguments.run))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(report)
    else:
        _show(report)
    return 0


def _report(run: Run) -> dict[str, Any]:
    from prbgen.llm.ledger import Ledger, spent

    limits = load_recipe(run.recipe).limits

    pairs: Counter[tuple[str, str, str, str]] = Counter()
    checks: Counter[tuple[str, str]] = Counter()
    if run.pairs.is_file():
        for pair in read_records(run.pairs, Pair):
            where = pair.provenance
            pairs[(where.subset, where.split, pair.strategy, pair.generator)] += 1
            checks.update((check.name, check.outcome) for check in pair.checks)
    reasons: Counter[tuple[str, str]] = Counter()
    rejected = 0
    if run.rejects.is_file():
        for reject in read_records(run.rejects, Reject):
            rejected += 1
            reasons.update((reject.stage, reason) for reason in reject.reasons)
    with Ledger(run.ledger, read_only=True) as ledger:
        costs = spent(ledger)
    return {
        "run": str(run.folder),
        "finished": run.finished,
        "at_work": run.owner(),
        "pairs": sum(pairs.values()),
        "rejected": rejected,
        "pairs_by": [
            dict(zip(("subset", "split", "strategy", "generator", "pairs"), (*key, count), strict=True))
            for key, count in sorted(pairs.items())
        ],
        "checks": [{"check": name, "outcome": outcome, "answers": n} for (name, outcome), n in sorted(checks.items())],
        "reasons": [{"stage": stage, "reason": reason, "count": n} for (stage, reason), n in reasons.most_common()],
        "spent": [asdict(each) for each in costs],
        **{name: getattr(limits, name) for name in _BUDGETS},
    }


def _show(report: dict[str, Any]) -> None:
    from rich.markup import escape

    from prbgen.cli.console import money, stdout

    out = stdout()
    state = "finished" if report["finished"] else "not finished: the same `prbgen generate` goes on"
    if report["at_work"]:
        state = f"{report['at_work']} is at work"
    out.print(f"{escape(report['run'])}: {state}", soft_wrap=True)
    out.print(f"{report['pairs']} pairs, {report['rejected']} rejected")
    _table("pairs", report["pairs_by"])
    _table("rejected", report["reasons"])
    _table("checks", report["checks"])
    _table("calls", [_readable(each) for each in report["spent"]])
    budgets = [f"{report[name]:g} {unit}" for name, unit in _BUDGETS.items() if report[name]]
    out.print(f"money    {money(report['spent'])}" + (f"; budget {' and '.join(budgets)}" if budgets else ""))
    if lost := sum(each["lost"] for each in report["spent"]):
        out.print(f"         {lost} calls were on their way when a process died: they may have been billed, too")


def _readable(spent: dict[str, Any]) -> dict[str, Any]:
    row = {name: value for name, value in spent.items() if name not in ("unpriced", "cost_usd")}
    return row | {"USD": "unknown" if spent["cost_usd"] is None else f"{spent['cost_usd']:.4f}"}


def _table(title: str, rows: list[dict[str, Any]]) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from prbgen.cli.console import stdout

    if not rows:
        return
    # What never happened need not take room.
    columns = [name for name in rows[0] if any(row[name] != 0 for row in rows)]
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for name in columns:
        table.add_column(name.replace("_", " "), justify="right" if isinstance(rows[0][name], int) else "left")
    for row in rows:
        table.add_row(*(escape(f"{row[name]:,}" if isinstance(row[name], int) else str(row[name])) for name in columns))
    stdout().print(table)
