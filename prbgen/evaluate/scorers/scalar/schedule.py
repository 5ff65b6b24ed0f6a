"""What is run next: groups that share a prefix as they come, all others in batches of answers of like length."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite

from prbgen.evaluate.scorers.scalar.compute_path import ComputePath
from prbgen.evaluate.scorers.scalar.memory import FAULTS, free, sparing
from prbgen.evaluate.scorers.scalar.passes import Passes
from prbgen.evaluate.scorers.scalar.plan import Row, batches, shared_prefix

# Answers of so many batches are sorted by length together.
_WINDOW = 8
# The prefix is attended to, but not computed, for each branch: these tokens count as one.
_ATTENDED = 8


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


class Schedule:
    """Takes groups and scores them step by step; holds a bounded number of them if `full` is heeded."""

    def __init__(self, passes: Passes, path: ComputePath, tokens: int) -> None:
        """Args: `tokens` in a batch, padding included, unless memory turns out not to suffice."""
        self._passes, self._path, self._tokens = passes, path, tokens
        self._sharing: deque[tuple[Task, int]] = deque()
        self._loose: list[tuple[Task, Row]] = []
        self._sorted: deque[list[tuple[Task, Row]]] = deque()

    def add(self, task: Task) -> None:
        """Take a group."""
        prefix = shared_prefix(task.rows, self._passes.pad) if self._path.shares and len(task.rows) > 1 else 0
        if prefix:
            self._sharing.append((task, prefix))
        else:
            self._loose += [(task, row) for row in task.rows]

    @property
    def full(self) -> bool:
        """Whether a step should be made before more is added."""
        window = _WINDOW * self._tokens
        return bool(self._sharing or self._sorted) or sum(len(row) for _, row in self._loose) >= window

    @property
    def waiting(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._sharing or self._sorted or self._loose)

    def step(self) -> list[GroupScores]:
        """Do the next of what is waiting: the groups that are complete by it."""
        if self._sharing:
            return [self._shared(*self._sharing.popleft())]
        if not self._sorted:
            places = batches([len(row) for _, row in self._loose], self._tokens, self._path.rows)
            self._sorted.extend([self._loose[place] for place in batch] for batch in places)
            self._loose = []
        batch = self._sorted.popleft()
        scores = self._spared(self._path.plain, [row for _, row in batch])
        for (task, row), score in zip(batch, scores, strict=True):
            task.found[row] = score
        tasks = {id(task): task for task, _ in batch}.values()
        return [task.scores() for task in tasks if len(task.found) == len(task.rows)]

    def _shared(self, task: Task, length: int) -> GroupScores:
        rows = task.rows
        try:
            prefix = self._passes.prefix(rows[0][:length])
        except FAULTS:
            prefix = None
        if prefix is None:  # the whole is longer still, but may be computed in less memory: no cache is kept
            free()
            self._score(task, self._path.plain, [len(row) for row in rows])
        else:

            def branches(rows: Sequence[Row]) -> list[float]:
                return self._passes.branches(prefix, rows)

            self._score(task, branches, [len(row) - length + length // _ATTENDED for row in rows])
        return task.scores()

    def _score(self, task: Task, work: Callable[[Sequence[Row]], list[float]], weights: list[int]) -> None:
        rows = task.rows
        for batch in batches(weights, self._tokens, self._path.rows):
            chosen = [rows[place] for place in batch]
            task.found |= zip(chosen, self._spared(work, chosen), strict=True)

    def _spared(self, work: Callable[[Sequence[Row]], list[float]], rows: Sequence[Row]) -> list[float | str]:
        def lacks() -> None:
            self._tokens = max(1, self._tokens // 2)

        return sparing(work, rows, lacks)
