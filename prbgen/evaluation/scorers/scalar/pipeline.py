"""From a source of groups to their scores: read ahead, tokenised in a thread, and scored step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from typing import Generic, TypeVar

from prbgen.evaluation.scorers.scalar.plan import Row
from prbgen.evaluation.scorers.scalar.schedule import Batch, GroupScores, Schedule, Task

T = TypeVar("T")
# Groups that are tokenised ahead.
_AHEAD = 8


class Pipeline(Generic[T]):
    """The one loop that scores groups. `while pipeline.read(): pipeline.step(score)` goes through all of them; or
    `take`, and have what is taken scored elsewhere, in any order.

    `step` and `take` may run in another thread than `read`, as long as they take turns.
    """

    def __init__(
        self, source: Iterable[T], encode: Callable[[T], tuple[int, list[Row] | str]], schedule: Schedule, on: Executor
    ) -> None:
        """Nothing is read yet.

        Args:
            source: The groups.
            encode: From a group to its number and the tokens of its answers, or why they cannot be scored.
            schedule: Makes batches of them.
            on: Where `encode` runs, in a thread of its own.
        """
        self._source, self._encode, self._schedule, self._on = iter(source), encode, schedule, on
        self._ahead: deque[Future[tuple[int, list[Row] | str]]] = deque()

    def read(self) -> bool:
        """Have groups tokenised ahead, as far as there are any; whether there is anything left to do."""
        while len(self._ahead) < _AHEAD:
            try:
                group = next(self._source)
            except StopIteration:
                break
            self._ahead.append(self._on.submit(self._encode, group))
        return bool(self._ahead) or self._schedule.waiting

    def take(self) -> Batch | list[GroupScores]:
        """Take one more group, which may be done by it, or the next batch to score."""
        if not self._ahead or self._schedule.full:
            return self._schedule.take()
        place, rows = self._ahead.popleft().result()
        if isinstance(rows, str):
            return [GroupScores(place, (), rows)]
        if not rows:
            return [GroupScores(place, ())]
        self._schedule.add(Task(place, rows))
        return []

    def step(self, score: Callable[[Sequence[Row], int], Sequence[float | str]]) -> list[GroupScores]:
        """Take one more group, or have the next batch scored: the groups that are done by it."""
        taken = self.take()
        return taken.done(score(taken.rows, taken.prefix)) if isinstance(taken, Batch) else taken

    def close(self) -> None:
        """Tokenise no more."""
        for future in self._ahead:
            future.cancel()
