"""Reward servers that tests start in this process, on a free port, and a scorer whose scores can be told beforehand."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx

from prbgen.downstream.ppo.serve.app import reward_app
from prbgen.downstream.ppo.serve.desk import Bounds, Desk
from prbgen.downstream.ppo.serve.metrics import Metrics
from prbgen.downstream.ppo.serve.server import listening
from prbgen.evaluation.scorers.scorer import TOO_LONG, Asked, Found, Scorer
from prbgen.evaluation.summary import Cost, ModelFacts
from prbgen.local_address import free_address


def score_of(prompt: str, response: str) -> float:
    """What `Checksums` says."""
    return zlib.crc32(f"{prompt}\0{response}".encode()) / 2**32


@dataclass
class Checksums:
    """A scorer that says what a response is by its text; those with "fail", "long", "nan" or "die" in them have no
    score. It keeps all that it was asked, and waits for `open` before it says anything; it `began` with the first.
    """

    open: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)
    facts: ModelFacts = field(default_factory=lambda: ModelFacts(kind="http", name="checksums"))
    fingerprint: str = "c" * 32
    versions: dict[str, str] = field(default_factory=lambda: {"zlib": "1"})
    cost: Cost | None = None

    async def score(self, asked: Iterable[Asked], stop: asyncio.Event) -> AsyncGenerator[Found, None]:
        # Last first: scorers may answer in any order.
        for each in reversed(list(asked)):
            prompt = each.message(0)
            self.asked.append((prompt, each.answers))
            self.began.set()
            await self.open.wait()
            await asyncio.sleep(0)
            yield self._found(each, prompt)

    def _found(self, each: Asked, prompt: str) -> Found:
        together = " ".join(each.answers)
        if "die" in together:
            raise RuntimeError("the device is gone")
        if "long" in together:
            return Found(each.place, 0, reason=TOO_LONG)
        if "fail" in together:
            return Found(each.place, 0, reason="it failed", faulty=True)
        scores = tuple(float("nan") if "nan" in answer else score_of(prompt, answer) for answer in each.answers)
        return Found(each.place, 0, scores)

    async def close(self) -> None:
        pass


@dataclass
class Served:
    """A server that runs."""

    url: str
    desk: Desk
    client: httpx.AsyncClient

    async def ask(self, *inputs: tuple[str, str], key: str = "") -> httpx.Response:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        body = {"inputs": [{"prompt": prompt, "response": response} for prompt, response in inputs]}
        return await self.client.post(f"{self.url}/score", json=body, headers=headers)

    async def figure(self, name: str) -> float:
        """A figure of /metrics; 0 while there is none."""
        text = (await self.client.get(f"{self.url}/metrics")).text
        found = re.search(rf"^prbgen_reward_{re.escape(name)} (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else 0

    async def until_queued(self, inputs: int) -> None:
        async with asyncio.timeout(60):
            for _ in count():
                if await self.figure("queue_inputs") == inputs:
                    return
                await asyncio.sleep(0.01)

    async def until_gone(self) -> dict[str, Any]:
        """What /health says when it no longer is 200."""
        async with asyncio.timeout(60):
            for _ in count():
                health = await self.client.get(f"{self.url}/health")
                if health.status_code != 200:
                    break
                await asyncio.sleep(0.01)
        said: dict[str, Any] = health.json()
        return said


@asynccontextmanager
async def served(scorer: Scorer | None, bounds: Bounds = Bounds(), key: str | None = None) -> AsyncIterator[Served]:  # noqa: B008
    """Serve a scorer; without one the server waits for its model."""
    metrics = Metrics()
    desk = Desk(bounds, metrics)
    address = free_address("127.0.0.1", 0)
    work: asyncio.Task[Any] | None = None
    async with (
        listening(reward_app(desk, metrics, "rate:checksums", key, loopback=address.is_loopback), address),
        httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None)) as client,
    ):
        if scorer:
            work = asyncio.create_task(desk.serve(scorer, asyncio.Event()))
            await asyncio.sleep(0)
        try:
            yield Served(address.url, desk, client)
        finally:
            if work:
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)
