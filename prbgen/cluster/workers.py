"""Workers of one kind, spread over a cluster: asked one by one, and made anew when they are lost."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import ray
from ray.exceptions import RayError

from prbgen.cluster.place import Host, Place, Worker, until
from prbgen.errors import InterruptError

# Seconds after which it is worth a word that no worker runs: a process takes some to start.
_LONG = 20.0


class Workers:
    """Calls methods of workers. Ray makes a lost worker anew, wherever there is room; what it was doing is the caller's
    to do again. Whoever is least busy is asked.
    """

    def __init__(
        self,
        kind: type[Worker],
        prepare: Sequence[Any],
        *,
        count: int,
        at_once: int,
        cpus: float = 1,
        gpus: float = 0,
        show: Callable[[Callable[[], str]], None] | None = None,
    ) -> None:
        """`count` workers of so many `cpus` and `gpus` each, which do `at_once` things; must be made in an event loop.

        `prepare` goes to them in memory alone: keys may be in it, as they may not in what makes a worker. `show`
        gets what tells how many there are.
        """
        options = {
            "num_cpus": cpus, "num_gpus": gpus, "max_restarts": -1, "max_task_retries": 0,
            "max_concurrency": at_once + 2, "scheduling_strategy": "SPREAD",
        }  # fmt: skip
        self._made = ray.remote(Host).options(**options)
        self._kind = kind
        self._prepare = tuple(prepare)
        self._at_once = at_once
        self._places: list[Place] = []
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._none_since: float | None = None
        self._show = show or (lambda _: None)
        self._show(self._told)
        self.grow(count)

    @property
    def count(self) -> int:
        """How many there are to be."""
        return len(self._places)

    @property
    def ready(self) -> int:
        """How many are there, and prepared (or cannot be, which a call will tell)."""
        return sum(place.ready.done() for place in self._places)

    def grow(self, count: int) -> None:
        """Have so many, if there are fewer."""
        for _ in range(count - len(self._places)):
            self._places.append(Place(self._made.remote(self._kind), self._prepare, self._changed))

    async def wait(self, stop: asyncio.Event) -> None:
        """Until one is ready.

        Raises:
            InterruptError: `stop` is set before.
            InputError: a worker cannot be started.
            Exception: whatever `prepare` raises.
        """
        if not self.ready:
            await self._free(stop)

    @asynccontextmanager
    async def place(self, stop: asyncio.Event) -> AsyncIterator[Place]:
        """One that is ready and may be asked one thing more, until the block ends; raises what `wait` does."""
        place = await self._free(stop)
        place.busy += 1
        try:
            yield place
        finally:
            place.busy -= 1
            self._wake()

    async def call(self, stop: asyncio.Event, method: str, *args: Any) -> Any:
        """What a method of some worker returns.

        Raises:
            LostWorkerError: the worker is gone.
            InterruptError: `stop` is set before one is free.
            InputError: a worker cannot be started.
            Exception: whatever the method, or `prepare`, raises.
        """
        async with self.place(stop) as place:
            return await place.ask(stop, method, *args)

    async def close(self) -> None:
        """End all workers, whatever they do; where the cluster is gone, so are they."""
        self._show(str)
        for place in self._places:
            place.ready.cancel()
            with suppress(RayError, RuntimeError):
                ray.kill(place.actor)
        await asyncio.gather(*(place.ready for place in self._places), return_exceptions=True)

    async def _free(self, stop: asyncio.Event) -> Place:
        while True:
            ready = [place for place in self._places if place.ready.done()]
            for place in ready:
                place.ready.result()
            if free := [place for place in ready if place.busy < self._at_once]:
                return min(free, key=lambda place: place.busy)
            if stop.is_set():
                raise InterruptError("interrupted")
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await until(turn, stop)
            except asyncio.CancelledError:
                if turn.done():  # its turn had come: another one's, then
                    self._wake()
                raise
            finally:
                turn.cancel()

    def _wake(self, count: int = 1) -> None:
        """Let so many of those who wait look again."""
        while count and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                count -= 1

    def _changed(self) -> None:
        """A worker runs, is ready, or is none of it any more. All look again: if it cannot be used, all are to know."""
        runs = any(place.runs for place in self._places)
        self._none_since = None if runs else self._none_since or time.monotonic()
        self._wake(len(self._waiting))

    def _told(self) -> str:
        since = time.monotonic() - self._none_since if self._none_since else 0
        if since > _LONG:
            return f"no worker for {since:.0f} s now (has the cluster a free CPU or GPU?)"
        there = f"{self.count} workers" if self.count > 1 else "1 worker"
        return there if self.ready == self.count else f"{self.ready} of {there}"
