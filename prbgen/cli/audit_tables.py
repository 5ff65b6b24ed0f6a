"""How audits look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from prbgen.cli.console import stdout
from prbgen.formatting import usd
from prbgen.generation.audit.results import Audit, Cost
from prbgen.generation.audit.wording import interval, meaning, shortcut_label
from prbgen.text import one_line

_TELLING = 12
_COLOURS = {"clean": "green", "leaks": "red", "unclear": "yellow"}


def show(audits: Sequence[Audit], folder: Path | None) -> None:
    """One audit at length; several side by side. `folder`: where the report lies, if it was written."""
    out = stdout()
    if len(audits) == 1:
        _show_one(audits[0], out)
    else:
        _show_side_by_side(audits, out)
    if folder:
        out.print(f"report   {escape(str(folder / 'audit.html'))}, audit.json", soft_wrap=True)
    else:
        out.print("report   not written: --out DIR puts a page and the JSON there")


def _show_one(audit: Audit, out: Console) -> None:
    users = "users unknown" if audit.users is None else f"{audit.users:,} users"
    out.print(f"{escape(audit.name)}: {audit.n:,} pairs, {audit.questions:,} questions, {users}", soft_wrap=True)
    out.print(f"[bold {_COLOURS[audit.verdict]}]{audit.verdict}[/]  {escape(meaning(audit))}", soft_wrap=True)
    table = _table("a shallow model that sees", "accuracy on pairs (.5 by chance) and 95 % interval")
    for kind, shortcut in audit.shortcut.items():
        table.add_row(escape(shortcut_label(kind)), escape(shortcut.reason or interval(shortcut)))
    out.print(table)
    if audit.telling:
        table = _table("what tells most", "favours", "more of it in chosen", "more of it in rejected", "z", "")
        for each in audit.telling[:_TELLING]:
            name = f'"{one_line(each.name, 40)}"' if each.kind == "term" else one_line(each.name, 40)
            chance = "may be chance" if each.by_chance else ""
            table.add_row(
                escape(name), each.favours, f"{each.chosen:,}", f"{each.rejected:,}", f"{each.z:+.1f}", chance
            )
        out.print(table)
    for line in _facts(audit):
        out.print(f"- {escape(line)}", soft_wrap=True)


def _facts(audit: Audit) -> list[str]:
    lengths, twins = audit.lengths, audit.duplicates
    lines = []
    if audit.identical:
        lines.append(f"pairs whose two answers are the same, which no accuracy counts: {audit.identical:,}")
    lines += [
        f"words: median {lengths.median_chosen:g} in chosen, {lengths.median_rejected:g} in rejected; chosen is longer"
        f" in {lengths.longer_chosen:,} pairs, rejected in {lengths.longer_rejected:,}",
        f"nearly equal questions: {twins.within:,} within a subset, {twins.across:,} across; answers that stand under"
        f" several questions: {twins.same_answers:,}",
    ]
    if audit.empty_profiles is not None:
        lines.append(f"empty profiles: {audit.empty_profiles:,}")
    lines += [f"looks like personal data ({each.kind}) in {each.column}: {each.rows:,} rows" for each in audit.personal]
    if overlap := audit.overlap:
        users = "users unknown" if overlap.users is None else f"{overlap.users:,} users"
        lines.append(f"also in {overlap.other}: {users}, {overlap.questions:,} questions")
    if making := audit.making:
        gap = "not judged" if making.coverage_gap is None else f"{making.coverage_gap:.2f}"
        lines.append(
            f"{making.passed:,} of {making.attempts:,} attempts passed all checks, {making.undecided:,} are undecided;"
            f" coverage gap {gap};"
            f" cost a pair {_cost(making.cost)}"
        )
    return lines


def _show_side_by_side(audits: Sequence[Audit], out: Console) -> None:
    kinds = list(dict.fromkeys(kind for audit in audits for kind in audit.shortcut))
    titles = ("pairs", "attempts passed", "coverage gap", *map(shortcut_label, kinds), "verdict", "cost a pair")
    # Sets are columns: names are long, and there are fewer of them than figures.
    table = _table("", *(one_line(audit.name, 60) for audit in audits))
    rows = zip(*(_figures(audit, kinds) for audit in audits), strict=True)
    for title, row in zip(titles, rows, strict=True):
        table.add_row(title, *row)
    out.print(table)
    reasons = {audit.making.cost.reason for audit in audits if audit.making and audit.making.cost.reason}
    for reason in sorted(reasons):
        out.print(f"- {escape(reason)}", soft_wrap=True)


def _figures(audit: Audit, kinds: Sequence[str]) -> list[str]:
    making = audit.making
    decided = making.attempts - making.undecided if making else 0
    passed = f"{making.passed / decided:.1%}" if making and decided else "unknown"
    gap = "unknown" if making is None or making.coverage_gap is None else f"{making.coverage_gap:.2f}"
    return [
        f"{audit.n:,}",
        passed,
        gap,
        *(escape(interval(audit.shortcut.get(kind))) for kind in kinds),
        f"[{_COLOURS[audit.verdict]}]{audit.verdict}[/]",
        _cost(making.cost) if making else "unknown",
    ]


def _cost(cost: Cost) -> str:
    return "unknown" if cost.usd_a_pair is None else usd(cost.usd_a_pair)


def _table(first: str, *others: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column(escape(first), overflow="fold")
    for title in others:
        table.add_column(escape(title), overflow="fold", justify="right")
    return table
