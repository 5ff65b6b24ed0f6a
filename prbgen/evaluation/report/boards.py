"""Leaderboards: who is right most often under a condition, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from prbgen.evaluation.metrics.standings import Standing, standings
from prbgen.evaluation.report.entries import Entry
from prbgen.evaluation.settings import CONDITIONS, Condition

Mark = Literal["best", "level", "behind", "unknown"]


@dataclass(frozen=True)
class Row:
    """A result and where it stands."""

    entry: Entry
    standing: Standing

    @property
    def mark(self) -> Mark:
        """How it stands to the best: `level` cannot be told from it; `unknown` where nobody can say."""
        if self.standing.rank is None:
            return "unknown"
        # Equal accuracies share a rank, and `best` compares with one of those alone.
        if self.standing.rank == 1 or self.standing.best is None:
            return "best"
        apart = self.standing.best.apart
        return "unknown" if apart is None else "behind" if apart else "level"


@dataclass(frozen=True)
class Board:
    """All results under one condition, the most accurate first, those without a scored pair last."""

    condition: Condition
    rows: tuple[Row, ...]

    @property
    def sized(self) -> tuple[Row, ...]:
        """Those whose accuracy and number of parameters are known."""
        summaries = ((row, row.entry.summary) for row in self.rows)
        return tuple(row for row, each in summaries if each.model.parameters and each.accuracy.value is not None)

    @property
    def further(self) -> tuple[tuple[str, str], ...]:
        """The further figures that there are: their names, and what tables call them."""
        names = sorted({name for row in self.rows for name in row.entry.summary.further})
        return tuple((name, name.replace("_", " ").capitalize()) for name in names)


def boards(entries: Sequence[Entry]) -> tuple[Board, ...]:
    """A leaderboard for each condition that there is."""
    under = {name: [entry for entry in entries if entry.summary.condition == name] for name in CONDITIONS}
    return tuple(Board(name, _rows(found)) for name, found in under.items() if found)


def _rows(entries: Sequence[Entry]) -> tuple[Row, ...]:
    by_name = {str(entry.results.folder): entry for entry in entries}
    found = standings({name: entry.judged for name, entry in by_name.items()})
    return tuple(Row(by_name[each.name], each) for each in found)
