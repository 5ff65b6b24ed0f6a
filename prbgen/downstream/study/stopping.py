"""How a step of a study is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def own_stop(stop: asyncio.Event) -> AsyncIterator[asyncio.Event]:
    """A stop of one step, which is set when `stop` is. What ends that step alone (a budget, a dead server) sets its
    own, and the next one begins with another.
    """
    own = asyncio.Event()

    async def follow() -> None:
        await stop.wait()
        own.set()

    if stop.is_set():
        own.set()
    follower = asyncio.create_task(follow())
    try:
        yield own
    finally:
        follower.cancel()
