"""Run what waits for models: also where an event loop is running already (a notebook), and in any thread.

In the main thread the first Ctrl-C stops in good order, the second one at once.
"""

from __future__ import annotations

import asyncio
import contextvars
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Generic, TypeVar

from prbgen.api.display import Display, Line

T = TypeVar("T")
Say = Callable[[str], None]
Work = Callable[[asyncio.Event], Awaitable[T]]


def worked(work: Callable[[asyncio.Event, Say], Awaitable[T]], line: Line, display: Display) -> T:
    """What `work(stop, say)` brings; keys of .env are at hand, and `line` says how far it is.

    Raises:
        KeyboardInterrupt: there was a second Ctrl-C.
        Exception: whatever the work raises.
    """
    from prbgen.llm.secrets import load_env_file

    load_env_file()
    with display.progress(line):
        return run_until_interrupted(lambda stop: work(stop, display.remark), display.remark)


def run_until_interrupted(work: Work[T], say: Say) -> T:
    """What `work(stop)` brings. The first Ctrl-C sets `stop`, and so does SIGTERM where it means the same.

    Raises:
        KeyboardInterrupt: there was a second one.
        Exception: whatever the work raises.
    """
    running = _Running(work, say)
    with _signals_to(running.on_signal):
        try:
            return _in_a_loop(running.main)
        except asyncio.CancelledError:
            if running.twice:
                raise KeyboardInterrupt from None
            raise


def run_at_once(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What `work()` brings. It has nothing to lose: Ctrl-C ends it at once.

    Raises:
        KeyboardInterrupt: there was a Ctrl-C.
        Exception: whatever the work raises.
    """
    with _signals_to(signal.default_int_handler):
        return _in_a_loop(work)


def _in_a_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """In a loop of this thread, or where that has one already, in one of another thread, for which this one waits."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    tasks: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []
    ended = threading.Event()

    async def main() -> T:
        task = asyncio.create_task(work())
        tasks.append((asyncio.get_running_loop(), task))
        if ended.is_set():
            task.cancel()
        return await task

    with ThreadPoolExecutor(1, thread_name_prefix="prbgen") as pool:
        found = pool.submit(contextvars.copy_context().run, asyncio.run, main())
        try:
            return found.result()
        except KeyboardInterrupt:
            ended.set()
            for loop, task in tasks:
                _tell(loop, task.cancel)
            raise


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[], object]) -> None:
    """Call it in another thread's loop, which may have ended by now."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(what)


class _Running(Generic[T]):
    """Work under way, and what stops it."""

    def __init__(self, work: Work[T], say: Say) -> None:
        self._work, self._say = work, say
        self._signals = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._task: asyncio.Task[Any] | None = None

    @property
    def twice(self) -> bool:
        """Whether there was a second one."""
        return self._signals > 1

    async def main(self) -> T:
        self._stop, self._loop, self._task = asyncio.Event(), asyncio.get_running_loop(), asyncio.current_task()
        if self._signals:
            self._stop.set()
        return await self._work(self._stop)

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """The first one stops in good order, the second one at once."""
        self._signals += 1
        if self.twice:
            # Whoever is interrupted may swallow what is raised, such as a callback of the garbage collector.
            if self._loop and self._task:
                _tell(self._loop, self._task.cancel)
            raise KeyboardInterrupt
        if self._loop and self._stop:
            _tell(self._loop, self._stop.set)
        self._say("Stopping: waiting for the calls in flight (once more to stop at once).")


@contextmanager
def _signals_to(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Ctrl-C goes to `handler`, where signals can be had: only the main thread gets them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGINT]
    if signal.getsignal(signal.SIGTERM) is signal.default_int_handler:
        numbers.append(signal.SIGTERM)
    # Not the loop's own handlers: those would wait for it while a source is being read.
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            # Null: it is none of Python's, so nobody can put it back.
            if earlier is not None:
                signal.signal(number, earlier)
