"""From a source of groups to their scores: read ahead, tokenised in a thread, and scored step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from typing import Generic, TypeVar

from prbgen.evaluate.scorers.scalar.plan import Row
from prbgen.evaluate.scorers.scalar.quiet import quiet
from prbgen.evaluate.scorers.scalar.schedule import GroupScores, Schedule, Task

T = TypeVar("T")
# Groups that are tokenised ahead.
_AHEAD = 8


class Pipeline(Generic[T]):
    """The one loop that scores groups. `while pipeline.read(): pipeline.step()` goes through all of them.

    `step` may run in another thread than `read`, as long as they take turns.
    """

    def __init__(
        self, source: Iterable[T], encode: Callable[[T], tuple[int, list[Row] | str]], schedule: Schedule, on: Executor
    ) -> None:
        """Nothing is read yet.

        Args:
            source: The groups.
            encode: From a group to its number and the tokens of its answers, or why they cannot be scored.
            schedule: Scores them.
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

    def step(self) -> list[GroupScores]:
        """Take one more group, or score the next batch: the groups that are done by it."""
        if not self._ahead or self._schedule.full:
            with quiet():
                return self._schedule.step()
        place, rows = self._ahead.popleft().result()
        if isinstance(rows, str):
            return [GroupScores(place, (), rows)]
        if not rows:
            return [GroupScores(place, ())]
        self._schedule.add(Task(place, rows))
        return []

    def close(self) -> None:
        """Tokenise no more."""
        for future in self._ahead:
            future.cancel()
