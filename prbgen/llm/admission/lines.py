"""Who waits, in the order in which they go."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Waiter(Generic[T]):
    """Someone who waits until `turn` is set."""

    who: T
    turn: asyncio.Future[None]


class Lines(Generic[T]):
    """Two lines, first come first served: retries go before new work. Who gave up is skipped."""

    def __init__(self) -> None:
        self._retries: deque[Waiter[T]] = deque()
        self._new: deque[Waiter[T]] = deque()
        self.waiting = 0

    def join(self, who: T, turn: asyncio.Future[None], *, again: bool) -> None:
        """Stand at the end. Cancelling `turn` gives the place up."""
        (self._retries if again else self._new).append(Waiter(who, turn))
        self.waiting += 1
        turn.add_done_callback(self._gone)

    def _gone(self, _: asyncio.Future[None]) -> None:
        self.waiting -= 1

    def first(self) -> Waiter[T] | None:
        """Whose turn is next."""
        for line in (self._retries, self._new):
            while line:
                if not line[0].turn.done():
                    return line[0]
                line.popleft()
        return None

    def send_home(self, error: Exception) -> None:
        """Nobody's turn will come."""
        while waiter := self.first():
            waiter.turn.set_exception(error)
