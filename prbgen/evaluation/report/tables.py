"""The tables of a report as rows of plain text: what Markdown, LaTeX and the terminal show."""

from __future__ import annotations

from dataclasses import dataclass

from prbgen.evaluation.report.boards import Board, Row
from prbgen.evaluation.report.contrasts import Contrast
from prbgen.evaluation.report.report import Evaluated
from prbgen.evaluation.report.wording import cost, parameters
from prbgen.formatting import UNKNOWN, chance, interval, number, signed

MARKS = {"best": "*", "level": "=", "behind": "", "unknown": ""}
LEGEND = (
    "*: best; =: cannot be told from the best (exact test of swapping the results of each user, with Holm's correction,"
    " at 0.05)"
)
GROUPS = (
    "Those of one group cannot be told from its first one. McNemar's exact test takes pairs as independent and has no"
    " correction"
)


@dataclass(frozen=True)
class Table:
    """A title, heads, and rows as wide; all but the first column are numbers."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def titled(condition: str) -> str:
    """A condition; the upper bound says so."""
    return f"{condition} (upper bound)" if condition == "oracle" else condition


def conditions_table(evaluated: Evaluated) -> Table:
    """Each model's accuracy under each condition."""
    rows = [(system, *(_accuracies(system, board) for board in evaluated.boards)) for system in evaluated.systems]
    heads = ("Model", *(titled(board.condition) for board in evaluated.boards))
    return Table("Accuracy under each condition", heads, tuple(rows))


def board_table(board: Board) -> Table:
    """A leaderboard."""
    heads = ("Model", "Accuracy", "95 % interval", "Group", "p to best (Holm)", "McNemar", "Ties as half", "Ties",
             "Coverage", "Bounds", "Orders agree", "Truncated", "Cost", "Parameters")  # fmt: skip
    further = [name for name, _ in board.further]
    rows = tuple((*_row(row), *(_share(row, name) for name in further)) for row in board.rows)
    return Table(f"Leaderboard under {titled(board.condition)}", (*heads, *(title for _, title in board.further)), rows)


def gains_table(contrast: Contrast) -> Table:
    """What models gain by a condition."""
    heads = ("Model", contrast.one, contrast.other, "Difference", "95 % interval", "p (Holm)", "McNemar", "Pairs")
    rows = tuple(
        (
            gain.name,
            number(found.second),
            number(found.first),
            signed(found.difference.value),
            interval(found.difference.ci95, sign=True) or UNKNOWN,
            chance(gain.tested.p_holm),
            chance(found.mcnemar),
            f"{found.n:,}",
        )
        for gain in contrast.gains
        for found in [gain.tested.paired]
    )
    return Table(f"{contrast.question} ({contrast.one} minus {contrast.other}, on pairs scored in both)", heads, rows)


def _row(row: Row) -> tuple[str, ...]:
    found, best = row.entry.summary, row.standing.best
    kin = " (same family as a writer of pairs)" if row.entry.kin else ""
    return (
        row.entry.label + kin,
        f"{number(found.accuracy.value)}{MARKS[row.mark]}",
        interval(found.accuracy.ci95) or UNKNOWN,
        UNKNOWN if row.standing.group is None else str(row.standing.group),
        chance(best.p_holm if best else None),
        chance(best.paired.mcnemar if best else None),
        number(found.accuracy_half),
        f"{found.ties:,}",
        number(found.coverage),
        interval(found.bounds) or UNKNOWN,
        number(found.order_consistency),
        f"{found.truncated:,}",
        cost(found),
        parameters(found.model.parameters),
    )


def _share(row: Row, name: str) -> str:
    share = row.entry.summary.further.get(name)
    return f"{number(share.value)} {interval(share.ci95)}".rstrip() if share else UNKNOWN


def _accuracies(system: str, board: Board) -> str:
    """Of all results of a model under a condition; several differ in what was shown."""
    return "; ".join(_accuracy(row) for row in board.rows if row.entry.system == system) or "not run"


def _accuracy(row: Row) -> str:
    found, mark = row.entry.summary.accuracy, MARKS[row.mark]
    if found.value is None:
        shown = "no pair scored"
    else:
        scored = f" of {found.n:,} scored" if row.entry.summary.unscored else ""
        shown = f"{number(found.value)}{mark} {interval(found.ci95)}".rstrip() + scored
    return f"{shown} {row.entry.variant}".rstrip()
