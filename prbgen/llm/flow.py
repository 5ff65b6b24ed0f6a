"""Many items at once: no barriers, memory for those under way alone, and an orderly stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar, cast

from prbgen.errors import InterruptError

I = TypeVar("I")  # noqa: E741
O = TypeVar("O")  # noqa: E741


class _End:
    """Stands after the last item."""


_END = _End()


async def as_finished(
    items: Iterable[I], work: Callable[[I], Awaitable[O]], *, at_once: int, stop: asyncio.Event
) -> AsyncGenerator[tuple[int, O], None]:
    """Work on items, at most `at_once` under way, and yield each one's place (from 0) and result when it is done.

    When `stop` is set no new item is begun; those under way are finished and yielded.

    Raises:
        InterruptError: `stop` was set before the items ran out (raised after the last result).
        Exception: whatever `work` or the iterator raises; what is in flight is finished and yielded first.
        CancelledError: it was cancelled, and so is what is in flight.
    """
    source = enumerate(items)
    exhausted = False
    under_way: set[asyncio.Task[tuple[int, O]]] = set()
    fault: Exception | None = None
    finished: asyncio.Queue[asyncio.Task[tuple[int, O]]] = asyncio.Queue()

    async def one(place: int, item: I) -> tuple[int, O]:
        return place, await work(item)

    try:
        while True:
            while not (exhausted or fault or stop.is_set()) and len(under_way) < at_once and finished.empty():
                try:
                    place, item = next(source, (0, _END))
                except Exception as error:
                    fault = error
                    break
                if isinstance(item, _End):
                    exhausted = True
                    break
                task = asyncio.create_task(one(place, item))
                under_way.add(task)
                task.add_done_callback(finished.put_nowait)
                # Reading and ranking take time: let replies in.
                await asyncio.sleep(0)
            if under_way:
                task = await finished.get()
                under_way.discard(task)
                if failure := task.exception():
                    fault = fault or cast("Exception", failure)
                else:
                    yield task.result()
            elif fault:
                raise fault
            elif exhausted or isinstance(next(source, (0, _END))[1], _End):
                return
            else:
                raise InterruptError("interrupted")
    except asyncio.CancelledError:
        for task in under_way:
            task.cancel()
        raise
    finally:
        # Let what is in flight arrive: it is paid for. Each request has its own time-out.
        await asyncio.gather(*under_way, return_exceptions=True)


async def all_of(*calls: Awaitable[O]) -> list[O]:
    """What several calls bring. If one fails, the others' replies are still let in: they are paid for.

    Raises:
        Exception: what the first of those that fail raises.
    """
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return cast("list[O]", results)
