"""How a validation looks in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from prbgen.cli.console import stdout
from prbgen.validation.report import Agreement, Figure, Gate, Portrait, RaterFound, Report

_COLOURS = {"pass": "green", "fail": "red", "unknown": "yellow"}
# Portrait fields, as they are called on the screen.
_FIGURES = {
    "quality_chosen": "general quality of chosen",
    "quality_rejected": "general quality of rejected",
    "quality_gap": "general quality, chosen less rejected",
    "balance": "share where chosen is better, less where rejected is",
    "adherence_chosen": "adherence of chosen",
    "adherence_rejected": "adherence of rejected",
    "adherence_gap": "adherence, chosen less rejected",
    "coverage_chosen": "aspects covered by chosen",
    "coverage_rejected": "aspects covered by rejected",
    "direction": "pairs of which most say that chosen suits better",
    "words_gap": "words of chosen less those of rejected",
}


def show(report: Report, folder: Path) -> None:
    """The whole report; what needs the reader's eye comes last. `folder`: where its files lie."""
    out = stdout()
    out.print(_raters(report.raters))
    for round_, reasons in report.uncounted.items():
        for reason, count in reasons.items():
            out.print(f"- round {round_}: {count:,} answers do not count: {escape(reason)}", soft_wrap=True)
    out.print(_agreement(report.agreement))
    out.print(_portraits(report))
    _show_others(report, out)
    out.print(_verdicts(report))
    for gate in report.gates:
        show_gate(gate, out)
    out.print(f"report   {escape(str(folder / 'agreement.json'))}, verdicts.jsonl", soft_wrap=True)


def show_gate(gate: Gate, out: Console) -> None:
    """One line: its state, its name, why."""
    out.print(f"[{_COLOURS[gate.state]}]{gate.state:<7}[/]  {gate.name}: {escape(gate.said)}", soft_wrap=True)


def number(figure: Figure, form: str = ".2f") -> str:
    """A figure with its interval, or why there is none."""
    if figure.value is None:
        return f"unknown: {figure.reason}"
    shown = format(figure.value, form)
    if figure.ci95:
        return f"{shown} ({figure.ci95[0]:{form}} to {figure.ci95[1]:{form}})"
    return f"{shown} ({figure.reason})" if figure.reason else shown


def _raters(raters: Iterable[RaterFound]) -> Table:
    table = _table("round", "rater", "items", "gold right", "seconds an item", "same when asked again", "left out")
    for each in raters:
        table.add_row(
            each.round,
            each.rater,
            f"{each.items:,}",
            f"{each.gold_right}/{each.gold_done}" if each.gold_done else "-",
            "-" if each.median_seconds is None else f"{each.median_seconds:.0f}",
            "-" if each.repeats_same is None else f"{each.repeats_same:.0%}",
            escape("; ".join(each.left_out)) or "no",
        )
    return table


def _agreement(found: Iterable[Agreement]) -> Table:
    table = _table("round", "question", "raters", "units", "alpha", "raw agreement", "AC1", "intra-rater agreement")
    # Subsets are in agreement.json: too many lines to read here.
    for each in (each for each in found if not each.subset):
        rows = [(each.counted, "that count")]
        if each.counted != each.everybody:
            rows.append((each.everybody, "in all"))
        for coefficients, note in rows:
            table.add_row(
                each.round,
                f"{escape(each.question)} ({each.level})",
                f"{coefficients.raters} {note}".strip(),
                f"{coefficients.units:,}",
                *(escape(number(getattr(coefficients, name))) for name in ("alpha", "raw", "ac1")),
                escape(number(coefficients.intra_rater)) if coefficients.intra_rater else "",
            )
    return table


def _portraits(report: Report) -> Table:
    table = _table("means over pairs, with 95 % intervals", "all rated pairs", "validated pairs")
    both: tuple[Portrait, Portrait] = (report.rated, report.validated)
    table.add_row("pairs, users", *(f"{each.pairs:,}, {each.users:,}" for each in both))
    for name, told in _FIGURES.items():
        table.add_row(told, *(escape(number(getattr(each, name))) for each in both))
        if name == "quality_gap":
            for question in report.rated.questions:
                shown = (each.questions.get(question) for each in both)
                table.add_row(f"  {escape(question)}", *(escape(number(each)) if each else "-" for each in shown))
    return table


def _show_others(report: Report, out: Console) -> None:
    if report.blind:
        told = f"by pairs {number(report.blind.pairs)}, by single votes {number(report.blind.votes)}"
        out.print(f"people who see the posts alone find chosen: {escape(told)}", soft_wrap=True)
    reasons = {each.kappa.reason for each in report.judge if each.kappa.value is None}
    if len(reasons) == 1 and all(each.kappa.value is None for each in report.judge):
        out.print(f"the judge and people: unknown ({escape(str(reasons.pop()))})", soft_wrap=True)
        return
    for each in report.judge:
        told = f"kappa {number(each.kappa)}" + (f", {each.kappa.n:,} cases" if each.kappa.n else "")
        out.print(f"the judge and people on {escape(each.question)}: {escape(told)}", soft_wrap=True)


def _verdicts(report: Report) -> Table:
    table = _table("pairs", "")
    for subset, (validated, pairs) in report.subsets.items():
        table.add_row(f"validated in {escape(subset)}", f"{validated:,} of {pairs:,}")
    for reason, count in report.verdicts.items():
        table.add_row(escape(reason), f"{count:,}")
    return table


def _table(*heads: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    return table
