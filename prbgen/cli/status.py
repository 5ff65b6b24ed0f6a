"""Show what is done, what failed and why, and what it took: calls, tokens, money."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from prbgen.generation.rates import AttemptRate, CheckRate, Rates
from prbgen.recipe import load_recipe
from prbgen.run import Run, read_records
from prbgen.schema import Pair, Reject

# Side by side on a screen; --json has them all.
_MOST_PLACES = 6
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
    rates = Rates()
    if run.pairs.is_file():
        for pair in read_records(run.pairs, Pair):
            where = pair.provenance
            pairs[(where.subset, where.split, pair.strategy, pair.generator)] += 1
            rates.add(pair)
    reasons: Counter[tuple[str, str]] = Counter()
    rejected = 0
    if run.rejects.is_file():
        for reject in read_records(run.rejects, Reject):
            rejected += 1
            reasons.update((reject.stage, reason) for reason in reject.reasons)
            rates.add(reject)
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
        "attempts": [_with_rate(asdict(place), rates.attempts([place])) for place in rates.places],
        "checks": [_with_rate(asdict(place), check) for place in rates.places for check in rates.checks([place])],
        "checks_in_all": [_with_rate({}, check) for check in rates.checks()],
        "reasons": [{"stage": stage, "reason": reason, "count": n} for (stage, reason), n in reasons.most_common()],
        "spent": [asdict(each) for each in costs],
        **{name: getattr(limits, name) for name in _BUDGETS},
    }


def _with_rate(place: dict[str, str], rate: CheckRate | AttemptRate) -> dict[str, Any]:
    return place | asdict(rate) | {"rate": rate.rate}


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
    _table("attempts that pass all checks", [_in_per_cent(each) for each in report["attempts"]])
    _table("checks, over all attempts", [_in_per_cent(each) for each in report["checks_in_all"]])
    if 1 < len(report["attempts"]) <= _MOST_PLACES:
        _table("pass rates of the checks that do not always pass", _side_by_side(report))
    _table("calls", [_readable(each) for each in report["spent"]])
    budgets = [f"{report[name]:g} {unit}" for name, unit in _BUDGETS.items() if report[name]]
    out.print(f"money    {money(report['spent'])}" + (f"; budget {' and '.join(budgets)}" if budgets else ""))
    if lost := sum(each["lost"] for each in report["spent"]):
        out.print(f"         {lost} calls were on their way when a process died: they may have been billed, too")


def _side_by_side(report: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each check, a column for each strategy, model and subset."""
    rows: dict[tuple[str, str | None], dict[str, Any]] = {}
    for each in report["checks"]:
        row = rows.setdefault(
            (each["check"], each["side"]), {"check": each["check"], "side": each["side"] or "the pair"}
        )
        row[f"{each['strategy']}\n{each['generator']}\n{each['subset']}"] = _per_cent(each["rate"])
    columns = dict.fromkeys(name for row in rows.values() for name in row)
    telling = [row for row in rows.values() if set(row.values()) - {row["check"], row["side"], _per_cent(1)}]
    return [{name: row.get(name, "") for name in columns} for row in telling]


def _in_per_cent(row: dict[str, Any]) -> dict[str, Any]:
    if "side" in row:
        row = row | {"side": row["side"] or "the pair"}
    return row | {"rate": _per_cent(row["rate"])}


def _per_cent(rate: float | None) -> str:
    return "unknown" if rate is None else f"{rate:.1%}"


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
        table.add_column(
            # Names of models and subsets keep theirs.
            escape(name if "\n" in name else name.replace("_", " ")),
            overflow="fold",
            justify="right" if isinstance(rows[0][name], int) else "left",
        )
    for row in rows:
        table.add_row(*(escape(f"{row[name]:,}" if isinstance(row[name], int) else str(row[name])) for name in columns))
    stdout().print(table)
