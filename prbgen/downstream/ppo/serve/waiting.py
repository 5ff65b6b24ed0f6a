"""Requests in the order in which they came."""

from __future__ import annotations

import asyncio

from prbgen.downstream.ppo.serve.job import Job


class Waiting:
    """A queue whose length is that of all inputs in it."""

    def __init__(self) -> None:
        self._jobs: dict[Job, None] = {}
        self._arrived = asyncio.Event()
        self.inputs = 0

    def put(self, job: Job) -> None:
        """Add a request."""
        self._jobs[job] = None
        self.inputs += len(job.inputs)
        self._arrived.set()

    def remove(self, job: Job) -> None:
        """Take out a request, if it is in it."""
        if job in self._jobs:
            del self._jobs[job]
            self.inputs -= len(job.inputs)

    async def arrival(self) -> None:
        """Wait until there is one."""
        while not self._jobs:
            self._arrived.clear()
            await self._arrived.wait()

    def take(self, inputs: int) -> list[Job]:
        """Take out the first ones, with at most so many inputs; the first one whatever it has."""
        taken: list[Job] = []
        room = inputs
        for job in self._jobs:
            if taken and len(job.inputs) > room:
                break
            taken.append(job)
            room -= len(job.inputs)
        for job in taken:
            self.remove(job)
        return taken
