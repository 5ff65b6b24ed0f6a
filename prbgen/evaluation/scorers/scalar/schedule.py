"""What is run next: groups that share a prefix as they come, all others in batches of answers of like length.

Batches depend on the groups and their order alone, and not on what runs them: so does what rounding makes of scores.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite

from prbgen.evaluation.scorers.scalar.plan import Packing, Row, batches, shared_prefix

# Answers of so many batches are sorted by length together.
_WINDOW = 8


@dataclass(frozen=True)
class GroupScores:
    """A score for each answer (a group without answers has none), or `reason` why there is none."""

    place: int
    scores: tuple[float, ...]
    reason: str | None = None


@dataclass
class Task:
    """A group under way. Equal answers are one row: in two of them rounding might tell them apart."""

    place: int
    answers: Sequence[Row]
    found: dict[Row, float | str] = field(default_factory=dict)

    @cached_property
    def rows(self) -> list[Row]:
        """What there is to score."""
        return list(dict.fromkeys(self.answers))

    def scores(self) -> GroupScores:
        """What was found, when all of it was."""
        found = [self.found[row] for row in self.answers]
        reasons = [each for each in found if isinstance(each, str)]
        scores = tuple(each for each in found if not isinstance(each, str))
        if not reasons and not all(map(isfinite, scores)):
            reasons = ["a score is not finite"]
        return GroupScores(self.place, () if reasons else scores, reasons[0] if reasons else None)


@dataclass(frozen=True)
class Batch:
    """Rows of groups that go through the model together; so many tokens of each are a `prefix` that all share."""

    parts: Sequence[tuple[Task, Row]]
    prefix: int = 0

    @property
    def rows(self) -> list[Row]:
        """What there is to score."""
        return [row for _, row in self.parts]

    def done(self, scores: Sequence[float | str]) -> list[GroupScores]:
        """Take the score of each row, or why there is none: the groups that are complete by it."""
        for (task, row), score in zip(self.parts, scores, strict=True):
            task.found[row] = score
        tasks = {id(task): task for task, _ in self.parts}.values()
        return [task.scores() for task in tasks if len(task.found) == len(task.rows)]


class Schedule:
    """Takes groups and gives batches; holds a bounded number of them if `full` is heeded."""

    def __init__(self, packing: Packing) -> None:
        self._packing = packing
        self._sharing: deque[Batch] = deque()
        self._loose: list[tuple[Task, Row]] = []
        self._sorted: deque[Batch] = deque()

    def add(self, task: Task) -> None:
        """Take a group."""
        packing, parts = self._packing, [(task, row) for row in task.rows]
        prefix = shared_prefix(task.rows, packing.pad) if packing.shares and len(parts) > 1 else 0
        if prefix:
            self._sharing.append(Batch(parts, prefix))
        else:
            self._loose += parts

    @property
    def full(self) -> bool:
        """Whether a batch should be taken before more is added."""
        window = _WINDOW * self._packing.tokens
        return bool(self._sharing or self._sorted) or sum(len(row) for _, row in self._loose) >= window

    @property
    def waiting(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._sharing or self._sorted or self._loose)

    def take(self) -> Batch:
        """The next of what is waiting."""
        if self._sharing:
            return self._sharing.popleft()
        if not self._sorted:
            places = batches([len(row) for _, row in self._loose], self._packing.tokens, self._packing.rows)
            self._sorted.extend(Batch([self._loose[place] for place in batch]) for batch in places)
            self._loose = []
        return self._sorted.popleft()
