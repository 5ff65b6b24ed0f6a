"""Servers on this machine that speak as reward servers do, for tests of those who ask them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from prbgen.evaluation.scorers.scorer import Asked, Found, Scorer

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def listening(**handlers: Handler) -> AsyncIterator[str]:
    """Serve each handler at the path of its name (POST) while the block runs; gives the address."""
    application = web.Application(client_max_size=2**26)
    for name, handler in handlers.items():
        application.router.add_route("*", f"/{name}", handler)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def pair(place: int = 0, *, posts: int = 0, chosen: str = "A good answer", rejected: str = "Bad") -> Asked:
    """A pair whose message holds a line for each post that is shown."""

    def message(shown: int) -> str:
        return "\n".join([*(f"post {number} of {place}" for number in range(shown)), f"Question {place}?"])

    return Asked(place, f"item {place}", (chosen, rejected), posts, message)


async def scored(scorer: Scorer, *pairs: Asked, stop: asyncio.Event | None = None) -> list[Found]:
    """What a scorer says of pairs, in their order; it is closed afterwards."""
    try:
        found = [each async for each in scorer.score(pairs, stop or asyncio.Event())]
    finally:
        await scorer.close()
    return sorted(found, key=lambda each: each.place)


def posts_in(body: dict[str, Any]) -> int:
    """How many posts a message shows, wherever it stands in a request."""
    turns = body["inputs"][0]["messages"] if "inputs" in body else body["messages"]
    return int(turns[0]["content"].count("post "))
