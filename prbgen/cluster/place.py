"""One worker of several: its process on some node, and what this process knows of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ray.exceptions import ActorDiedError, RayError, RayTaskError

from prbgen.errors import InputError, InterruptError, PrbgenError
from prbgen.text import one_line

# Seconds between two looks at a worker that is being made anew.
_LOOK_AGAIN = 0.5
# A worker that is lost so often while it gets ready is lost by that.
_LOSSES = 4


class Worker(Protocol):
    """What runs in a worker: an object of a class without arguments, whose methods are coroutines."""

    async def prepare(self, *args: Any) -> None:
        """Get ready; called before anything else, and again in whatever stands in for a worker that was lost."""
        ...


class LostWorkerError(PrbgenError):
    """The worker, or its machine, is gone: nobody knows how far it came."""


class _NotReadyError(Exception):
    """A worker was made anew, and has not been prepared: it did nothing."""


class Host:
    """Holds the worker in its process, and lets nobody at it before it is ready."""

    def __init__(self, kind: type[Worker]) -> None:
        self._worker = kind()
        self._preparing = asyncio.Lock()
        self._ready = False

    async def runs(self) -> None:
        """Returns as soon as there is a process."""

    async def prepare(self, *args: Any) -> None:
        """Prepare the worker, once: the driver asks again where it heard nothing, though the first may be under way."""
        async with self._preparing:
            if not self._ready:
                await self._worker.prepare(*args)
            self._ready = True

    async def call(self, method: str, *args: Any) -> Any:
        """What a method of the worker returns."""
        if not self._ready:
            raise _NotReadyError
        return await getattr(self._worker, method)(*args)


class Place:
    """One worker, whichever process it runs in at this time. `busy` is how many things it does, `runs` whether it has a
    process, and `ready` is done when it is prepared, or cannot be.
    """

    def __init__(self, actor: Any, prepare: Sequence[Any], changed: Callable[[], None]) -> None:
        """`changed` is told of `runs` and `ready`."""
        self.actor = actor
        self.busy = 0
        self._prepare, self._changed = prepare, changed
        self.ready: asyncio.Task[None]
        self._begin()

    async def ask(self, stop: asyncio.Event, method: str, *args: Any) -> Any:
        """What a method of the worker returns.

        Raises:
            LostWorkerError: the worker is gone.
            InterruptError: the worker is another process now, which did nothing when `stop` was set.
            InputError: the worker cannot be started again.
            Exception: whatever the method, or `prepare`, raises.
        """
        while True:
            try:
                return await self.actor.call.remote(method, *args)
            except RayTaskError as error:
                if not isinstance(error.cause, _NotReadyError):
                    raise error.cause from None
                self._again()
            except RayError as error:
                self._again()
                raise LostWorkerError(one_line(str(error), 300)) from None
            await until(self.ready, stop)
            if not self.ready.done():
                raise InterruptError("interrupted")
            self.ready.result()

    def _again(self) -> None:
        if self.ready.done():
            self._begin()

    def _begin(self) -> None:
        self.runs = False
        self.ready = asyncio.create_task(self._get_ready())
        self.ready.add_done_callback(lambda _: self._changed())
        self._changed()

    async def _get_ready(self) -> None:
        losses = 0
        while True:
            try:
                # One for which there is no room yet is not lost.
                await self.actor.runs.remote()
                self.runs = True
                self._changed()
                await self.actor.prepare.remote(*self._prepare)
                return
            except RayTaskError as error:
                raise error.cause from None
            except ActorDiedError as error:
                # For good: Ray makes anew whatever is lost, but not what fails to begin.
                what = "is the same version of prbgen installed on all nodes?"
                raise InputError(f"no worker can be started, {what} Ray says: {one_line(str(error), 300)}") from None
            except RayError as error:
                losses += self.runs
                if losses == _LOSSES:
                    what = f"a worker was lost {_LOSSES} times while it got ready (has its node too little memory?)"
                    raise InputError(f"{what}; Ray says: {one_line(str(error), 300)}") from None
                self.runs = False
                self._changed()
                await asyncio.sleep(_LOOK_AGAIN)


async def until(done: asyncio.Future[None], stop: asyncio.Event) -> None:
    """Until it is done, or `stop` is set."""
    stopped = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((done, stopped), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
