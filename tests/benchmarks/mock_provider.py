"""An OpenAI-compatible chat server with the latencies, limits and faults that a benchmark asks for.

    python tests/benchmarks/mock_provider.py --latency 1 --tail 0.05 [--rate 50] [--retry-after] [--faults 0.1]

It prints the port that it got and serves until it is ended. What a request meets depends on its last message alone (a
fault also on how often that message came before), so every client meets the same, whatever the order. Replies are
deterministic, too. GET /counters?after=SECONDS says what was seen, counted from `after` seconds past the first request.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import json
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

TAIL_FACTOR = 5
WORDS = 100


def share(*what: object) -> float:
    """A number in [0, 1) that depends on `what` alone."""
    return int.from_bytes(blake2b("\0".join(map(str, what)).encode(), digest_size=8).digest()) / 2**64


def latency_of(message: str, latency: float, tail: float) -> float:
    """Seconds that the reply to this message takes: `latency`, or five times that for a share of `tail`."""
    return latency * (TAIL_FACTOR if share("latency", message) < tail else 1)


def scheduled(latencies: Iterable[float], concurrency: int) -> float:
    """Seconds that calls of these latencies take if each begins, in order, as soon as one of the slots is free."""
    free = [0.0] * concurrency
    end = 0.0
    for latency in latencies:
        begun = heapq.heappop(free)
        heapq.heappush(free, begun + latency)
        end = max(end, begun + latency)
    return end


@dataclass(frozen=True)
class Settings:
    """`latency` in seconds, `tail` and `faults` as shares, `rate` in requests a second (0: no limit).

    The rate is a token bucket that holds one second's worth; a refusal says Retry-After only with `retry_after`.
    """

    latency: float = 0.0
    tail: float = 0.0
    rate: float = 0.0
    retry_after: bool = False
    faults: float = 0.0

    def arguments(self) -> list[str]:
        """These settings as a command line."""
        line = [f"--latency={self.latency}", f"--tail={self.tail}", f"--rate={self.rate}", f"--faults={self.faults}"]
        return [*line, *(["--retry-after"] if self.retry_after else [])]


@dataclass
class Provider:
    """The server: when what happened, how often each message came and was answered, the bucket of the rate limit."""

    settings: Settings
    events: list[tuple[float, str]] = field(default_factory=list)
    in_flight: int = 0
    max_in_flight: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    tokens: float = 0.0
    filled: float = 0.0

    async def chat(self, request: Any) -> Any:
        """One call: refused, failed, cut off or answered."""
        from aiohttp import web

        body = json.loads(await request.read())
        if not body["messages"]:
            # So may a client ask for the headers alone: no call that counts.
            return web.json_response({"error": {"message": "messages: must not be empty"}}, status=400)
        message = _text(body["messages"][-1]["content"])
        self._note("arrived")
        if not self._allowed():
            return self._refusal()
        fault = self._fault(message)
        if fault == "refused":
            return self._refusal()
        self._note("accepted")
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        try:
            if seconds := latency_of(message, self.settings.latency, self.settings.tail):
                await asyncio.sleep(seconds)
        finally:
            self.in_flight -= 1
        if fault == "failed":
            self._note("failed")
            return web.json_response({"error": {"message": "out of order"}}, status=500)
        # From here on the tokens are spent, and paid for.
        self.answered[message] += 1
        if fault == "dropped":
            self._note("dropped")
            request.transport.close()
            return web.Response()
        self._note("replied")
        return web.json_response(_completion(body["model"], message))

    async def counters(self, request: Any) -> Any:
        """Counts, and times by time.monotonic (one clock for all processes here), of what was seen from `after` on."""
        from aiohttp import web

        first = self.events[0][0] if self.events else 0.0
        begin = first + float(request.query.get("after", 0))
        seen = [(when, what) for when, what in self.events if when >= begin]
        counts = Counter(what for _, what in seen)
        names = ("arrived", "refused", "accepted", "failed", "dropped", "replied")
        record = {name: counts[name] for name in names} | {"begin": begin, "first": first}
        record |= {f"last_{name}": max((when for when, what in seen if what == name), default=begin) for name in names}
        record |= {"max_in_flight": self.max_in_flight, "distinct": len(self.answered)}
        return web.json_response(record)

    def _note(self, what: str) -> None:
        self.events.append((time.monotonic(), what))

    def _allowed(self) -> bool:
        rate, now = self.settings.rate, time.monotonic()
        if not rate:
            return True
        self.tokens = min(rate, self.tokens + (now - self.filled) * rate) if self.filled else rate
        self.filled = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    def _fault(self, message: str) -> str | None:
        number = self.seen[message]
        self.seen[message] += 1
        if share("fault", number, message) >= self.settings.faults:
            return None
        return ("failed", "refused", "dropped")[int(share("kind", number, message) * 3)]

    def _refusal(self) -> Any:
        from aiohttp import web

        self._note("refused")
        headers = {"Retry-After": "1"} if self.settings.retry_after else {}
        error = {"message": "too many requests", "type": "requests", "code": "rate_limit_exceeded"}
        return web.json_response({"error": error}, status=429, headers=headers)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _completion(model: str, message: str) -> dict[str, Any]:
    reply = f"{blake2b(message.encode(), digest_size=4).hexdigest()} " + "word " * (WORDS - 1)
    prompt = len(message.split())
    return {
        "id": "chatcmpl-mock",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": reply.strip()}, "finish_reason": "stop"},
        ],
        "usage": {"prompt_tokens": prompt, "completion_tokens": WORDS, "total_tokens": prompt + WORDS},
    }


class Running:
    """A server in a process of its own, seen from the benchmark."""

    def __init__(self, port: int) -> None:
        self.api_base = f"http://127.0.0.1:{port}/v1"

    def counters(self, after: float = 0.0) -> dict[str, Any]:
        """What the server saw from `after` seconds past its first request on."""
        with urllib.request.urlopen(f"{self.api_base}/counters?after={after}") as reply:
            record: dict[str, Any] = json.load(reply)
        return record


@contextmanager
def running(settings: Settings) -> Generator[Running, None, None]:
    """Start a server on a free port, and end it."""
    command = [sys.executable, str(Path(__file__)), *settings.arguments()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Running(int(process.stdout.readline()))
        finally:
            process.terminate()


async def serve(settings: Settings) -> None:
    """Serve on a free port, which is printed."""
    from aiohttp import web

    provider = Provider(settings)
    app = web.Application(client_max_size=2**30)
    app.router.add_post("/v1/chat/completions", provider.chat)
    app.router.add_get("/v1/counters", provider.counters)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=4096)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


def main() -> None:
    """Serve as the command line says."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    for name in ("latency", "tail", "rate", "faults"):
        options.add_argument(f"--{name}", type=float, default=0.0)
    options.add_argument("--retry-after", action="store_true")
    asyncio.run(serve(Settings(**vars(options.parse_args()))))


if __name__ == "__main__":
    main()
