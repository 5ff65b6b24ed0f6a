"""An OpenAI-compatible provider in a thread, for tests: it answers as asked, and misbehaves as it is told."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

logging.getLogger("asyncio").setLevel(logging.CRITICAL)

# What a request runs into instead of a reply; null: nothing, it is answered.
Fault = Callable[[web.Request, str, int], Awaitable[web.StreamResponse | None]]


@dataclass
class Provider:
    """Counts what arrives, by prompt, and what was answered whole. `fault` decides by prompt and number of arrival."""

    fault: Fault | None = None
    latency: float = 0.02
    gives: Callable[[int], int] = lambda n: 1  # replies to a request for n
    arrived: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    url: str = ""

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """One chat completion."""
        body = await request.json()
        prompt = _name(body, _seed(body))
        self.bodies.append(body)
        self.arrived[prompt] += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.fault and (response := await self.fault(request, prompt, self.arrived[prompt])) is not None:
                return response
            await asyncio.sleep(self.latency)
            reply = completions(body, self.gives(body.get("n") or 1))
            whole = web.Response(body=json.dumps(reply).encode(), content_type="application/json")
            self.answered[prompt] += 1
            return whole
        except ConnectionError:  # whoever asked has gone
            return web.Response()
        finally:
            self.in_flight -= 1


def completion(prompt: str) -> dict[str, Any]:
    """A reply that depends on the prompt alone: whole sentences, within any word limit, and like no other reply."""
    content = f"Take {prompt} for now. " + f"Then add {prompt}, a few greens and {prompt}. " * 3
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "mock",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320},
    }


def completions(body: dict[str, Any], n: int) -> dict[str, Any]:
    """Replies to one request: each of them as if it were asked for alone, with the next seed."""
    seed = _seed(body)
    each = [completion(_name(body, seed if n == 1 else (seed or 0) + place)) for place in range(n)]
    choices = [{**one["choices"][0], "index": place} for place, one in enumerate(each)]
    return {**each[0], "choices": choices}


def _seed(body: dict[str, Any]) -> int | None:
    return body.get("seed", body.get("random_seed"))


def _name(body: dict[str, Any], seed: int | None) -> str:
    return hashlib.sha256(json.dumps([body["messages"], seed]).encode()).hexdigest()[:16]


@contextmanager
def serving(provider: Provider) -> Iterator[Provider]:
    """Serve it on a free port of this machine while the block runs; its `url` is set."""
    ready = threading.Event()
    loop = asyncio.new_event_loop()

    async def start() -> web.AppRunner:
        application = web.Application(client_max_size=2**26)
        application.router.add_post("/v1/chat/completions", provider.chat)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        provider.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        return runner

    def serve() -> None:
        asyncio.set_event_loop(loop)
        runner = loop.run_until_complete(start())
        ready.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield provider
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
