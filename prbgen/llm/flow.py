"""Many items at once, results in the order of the items: no barriers, bounded memory, and an orderly stop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable
from typing import TypeVar

from prbgen.errors import InterruptError

I = TypeVar("I")  # noqa: E741
O = TypeVar("O")  # noqa: E741


class _End:
    """Stands after the last item."""


_END = _End()
# Finished items that wait for a slow one before them, as a multiple of those under way.
_AHEAD = 16


async def in_order(
    items: Iterable[I], work: Callable[[I], Awaitable[O]], *, at_once: int, stop: asyncio.Event
) -> AsyncGenerator[O, None]:
    """Work on items, at most `at_once` under way, and yield their results in the order of the items.

    When `stop` is set no new item is begun; those under way are finished and yielded.

    Raises:
        InterruptError: `stop` was set before the items ran out (raised after the last result).
        Exception: whatever `work` or the iterator raises; what is in flight is finished first.
        CancelledError: it was cancelled, and so is what is in flight.
    """
    source = iter(items)
    exhausted = False
    waiting: deque[asyncio.Task[O]] = deque()
    under_way: set[asyncio.Task[O]] = set()

    async def one(item: I) -> O:
        return await work(item)

    def may_begin() -> bool:
        return not stop.is_set() and len(under_way) < at_once and len(waiting) < at_once * _AHEAD

    try:
        while True:
            while not exhausted and may_begin():
                item = next(source, _END)
                if isinstance(item, _End):
                    exhausted = True
                    break
                task = asyncio.create_task(one(item))
                waiting.append(task)
                under_way.add(task)
                # Reading and ranking take time: let replies in.
                await asyncio.sleep(0)
                under_way = _unfinished(under_way)
            while waiting and waiting[0].done():
                yield waiting.popleft().result()
            if waiting:
                await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                under_way = _unfinished(under_way)
            elif exhausted:
                return
            elif stop.is_set():
                raise InterruptError("interrupted")
    except asyncio.CancelledError:
        for task in under_way:
            task.cancel()
        raise
    finally:
        await _settle(waiting)


def _unfinished(tasks: set[asyncio.Task[O]]) -> set[asyncio.Task[O]]:
    """Those that are not done. Raises what a done one raised: nothing new is begun after a failure."""
    done = {task for task in tasks if task.done()}
    for task in done:
        task.result()
    return tasks - done


async def _settle(tasks: Collection[asyncio.Task[O]]) -> None:
    """Let what is in flight arrive: it is paid for. Each request has its own time-out."""
    await asyncio.gather(*tasks, return_exceptions=True)
