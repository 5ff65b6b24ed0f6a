"""Calls to workers, held up so that some are sure to be lost with a node."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import Any

import pytest

from prbgen.cluster.place import LostWorkerError
from prbgen.cluster.workers import Workers


class WatchedWorkers:
    """Counts what is done once all workers are there; after `few` calls there are no more until the node is lost."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
        self._few, self._call = few, Workers.call
        self._all_there = False
        self.done = 0
        self.lost: list[str] = []
        self.killed = Event()

        async def call(workers: Workers, stop: asyncio.Event, method: str, *args: Any) -> Any:
            return await self._watched(workers, stop, method, *args)

        monkeypatch.setattr(Workers, "call", call)

    def enough(self) -> bool:
        """Whether it is time to lose a node."""
        return self.done >= self._few

    async def _watched(self, workers: Workers, stop: asyncio.Event, method: str, *args: Any) -> Any:
        while not self._all_there:
            self._all_there = workers.ready == workers.count
            await asyncio.sleep(0.02)
        if self.enough():
            await asyncio.to_thread(self.killed.wait)
        try:
            result = await self._call(workers, stop, method, *args)
        except LostWorkerError:
            self.lost.append(method)
            raise
        self.done += 1
        return result
