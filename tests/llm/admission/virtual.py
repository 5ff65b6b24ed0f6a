"""A clock that jumps to the next timer, and servers that live by it: hours of traffic in a second."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from prbgen.llm.admission import Gate, Hints
from prbgen.llm.model import FaultKind

T = TypeVar("T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on which waiting takes no time."""

    # Of asyncio's own base class, which keeps them to itself.
    _ready: deque[asyncio.Handle]
    _scheduled: list[asyncio.TimerHandle]

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:
            self._now = max(self._now, self._scheduled[0].when())
        super()._run_once()  # type: ignore[misc]


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run to the end on a clock of its own."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main())


def now() -> float:
    return asyncio.get_running_loop().time()


@dataclass
class Refusal(Exception):  # noqa: N818
    kind: FaultKind
    retry_after: float | None = None


class Rule(Protocol):
    """What a server takes. `arrive` refuses by raising, `leave` is called when a reply goes out."""

    def arrive(self) -> Hints | None: ...

    def leave(self) -> None: ...


class Anything:
    def arrive(self) -> Hints | None:
        return None

    def leave(self) -> None:
        pass


@dataclass
class FixedWindow(Anything):
    """`limit` calls in each period that begins on the clock's strokes."""

    limit: int
    period: float = 1.0
    tell: bool = True
    _period: int = -1
    _used: int = 0

    def arrive(self) -> None:
        # The clocks of server and client do not strike together.
        period = int((now() + 0.37) // self.period)
        if period != self._period:
            self._period, self._used = period, 0
        if self._used >= self.limit:
            raise Refusal("rate_limit", (period + 1) * self.period - 0.37 - now() + 0.001 if self.tell else None)
        self._used += 1


@dataclass
class SlidingWindow(Anything):
    """`limit` calls in any period."""

    limit: int
    period: float = 1.0
    tell: bool = True
    _times: deque[float] = field(default_factory=deque)

    def arrive(self) -> None:
        while self._times and self._times[0] <= now() - self.period:
            self._times.popleft()
        if len(self._times) >= self.limit:
            raise Refusal("rate_limit", self._times[0] + self.period - now() + 0.001 if self.tell else None)
        self._times.append(now())


@dataclass
class TokenBucket(Anything):
    """`rate` calls a second, saved up to `burst`."""

    rate: float
    burst: float
    tell: bool = True
    _level: float = -1
    _at: float = 0.0

    def arrive(self) -> None:
        if self._level < 0:
            self._level, self._at = self.burst, now()
        self._level = min(self.burst, self._level + (now() - self._at) * self.rate)
        self._at = now()
        if self._level < 1:
            raise Refusal("rate_limit", (1 - self._level) / self.rate + 0.001 if self.tell else None)
        self._level -= 1


@dataclass
class Places:
    """So many calls at once."""

    places: int
    kind: FaultKind = "rate_limit"
    taken: int = 0

    def arrive(self) -> None:
        if self.taken >= self.places:
            raise Refusal(self.kind)
        self.taken += 1

    def leave(self) -> None:
        self.taken -= 1


@dataclass
class Server:
    """Answers after `latency` seconds, refuses after `refusal` seconds, and keeps a diary."""

    rule: Rule = field(default_factory=Anything)
    latency: Callable[[], float] = lambda: 1.0
    refusal: float = 0.03
    arrivals: list[float] = field(default_factory=list)
    accepted: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    at_once: int = 0
    peak: int = 0

    async def call(self) -> Hints | None:
        self.at_once += 1
        self.peak = max(self.peak, self.at_once)
        self.arrivals.append(now())
        try:
            try:
                hints = self.rule.arrive()
            except Refusal:
                self.refused.append(now())
                await asyncio.sleep(self.refusal)
                raise
            self.accepted.append(now())
            try:
                await asyncio.sleep(self.latency())
            finally:
                self.rule.leave()
            return hints
        finally:
            self.at_once -= 1


def heavy_tail(seed: int = 0) -> Callable[[], float]:
    """One second, or five in a twentieth of all cases."""
    dice = random.Random(seed)
    return lambda: 5.0 if dice.random() < 0.05 else 1.0


async def one(gate: Gate, server: Server, key: str, *, tokens: float = 0, tries: int = 1000) -> None:
    """One call, tried again until it gets its reply."""
    for attempt in range(tries):
        async with gate.slot(key, tokens=tokens, again=attempt > 0) as slot:
            try:
                hints = await server.call()
            except Refusal as refusal:
                slot.failed(refusal.kind, retry_after=refusal.retry_after)
            else:
                slot.succeeded(hints=hints)
                return
        await asyncio.sleep(min(0.1 * 2**attempt, 5.0))


async def flood(gate: Gate, server: Server, seconds: float, *, crowd: int = 300) -> None:
    """More calls than can go out, for so long."""
    end = now() + seconds

    async def stream(name: int) -> None:
        number = 0
        while now() < end:
            await one(gate, server, f"{name}-{number}")
            number += 1

    streams = [asyncio.create_task(stream(name)) for name in range(crowd)]
    await asyncio.sleep(seconds)
    for each in streams:
        each.cancel()
    await asyncio.gather(*streams, return_exceptions=True)


def within(times: list[float], start: float, end: float) -> int:
    return sum(start <= each < end for each in times)
