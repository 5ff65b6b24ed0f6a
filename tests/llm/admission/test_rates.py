"""How fast calls go out against servers of every kind: hours on a virtual clock."""

from __future__ import annotations

import asyncio
import heapq
from typing import Any

import pytest

from prbgen.llm.admission import Gate, Limits
from tests.llm.admission.virtual import (
    FixedWindow,
    Places,
    Server,
    SlidingWindow,
    TokenBucket,
    flood,
    heavy_tail,
    now,
    one,
    run,
    within,
)


def first_come_first_served(latencies: list[float], places: int) -> float:
    free = [0.0] * places
    for latency in latencies:
        heapq.heapreplace(free, free[0] + latency)
    return max(free)


@pytest.mark.parametrize("seed", range(4))
def test_the_ramp_costs_little(seed: int) -> None:
    latency = heavy_tail(seed)
    latencies = [latency() for _ in range(2000)]
    order = iter(latencies)

    async def main() -> tuple[float, int]:
        gate, server = Gate(Limits(128)), Server(latency=lambda: next(order))
        await asyncio.gather(*(one(gate, server, str(number)) for number in range(2000)))
        return now(), server.peak

    seconds, peak = run(main)
    assert seconds <= 1.02 * first_come_first_served(latencies, 128)
    assert peak == 128


RATES = [1, 10, 50, 200]
RULES = {
    "fixed window": FixedWindow,
    "sliding window": SlidingWindow,
    "bucket of a second": lambda limit, tell: TokenBucket(limit, limit, tell),
    "bucket of a tenth": lambda limit, tell: TokenBucket(limit, max(1, limit / 10), tell),
}


@pytest.mark.parametrize("tell", [True, False], ids=["with Retry-After", "without"])
@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("limit", RATES)
def test_an_allowed_rate_is_found_and_used(limit: int, kind: str, tell: bool) -> None:
    rule: Any = RULES[kind]
    warm, seconds = 60.0, 60.0 if limit == 200 else 180.0

    async def main() -> Server:
        gate = Gate(Limits(320 if limit == 200 else 128))
        server = Server(rule(limit, tell=tell), latency=heavy_tail(1))
        await flood(gate, server, warm + seconds, crowd=400 if limit == 200 else 200)
        return server

    server = run(main)
    accepted = within(server.accepted, warm, warm + seconds)
    refused = within(server.refused, warm, warm + seconds)
    print(f"{limit}/s {kind}: {accepted / seconds / limit:.3f} used, {refused / (accepted + refused):.4f} refused")
    assert accepted >= 0.9 * limit * seconds
    # Of so few as at one a second, a single call weighs something.
    assert refused <= 0.05 * (accepted + refused) + 1


@pytest.mark.parametrize("kind", ["rate_limit", "overload"])
@pytest.mark.parametrize("places", [1, 4, 20, 100])
def test_a_limit_of_calls_at_once_is_found_and_used(places: int, kind: Any) -> None:
    warm, seconds = 60.0, 240.0

    async def main() -> Server:
        gate, server = Gate(Limits(128)), Server(Places(places, kind), latency=heavy_tail(1))
        await flood(gate, server, warm + seconds)
        return server

    server = run(main)
    accepted, refused = (within(times, warm, warm + seconds) for times in (server.accepted, server.refused))
    print(f"{places} places, {kind}: {accepted / seconds / places * 1.2:.3f} used, {refused / accepted:.4f} refused")
    assert accepted * 1.2 >= (0.75 if places < 20 else 0.85) * places * seconds
    assert refused <= 0.05 * (accepted + refused)


def test_the_learned_rate_is_forgotten_when_the_limit_is_lifted() -> None:
    async def main() -> tuple[float | None, float | None, int]:
        gate, rule = Gate(Limits(128)), TokenBucket(10, 10)
        server = Server(rule)
        flow = asyncio.create_task(flood(gate, server, 300))
        await asyncio.sleep(60)
        slow = gate.rate
        rule.rate = rule.burst = 1e6
        await asyncio.sleep(200)
        result = slow, gate.rate, gate.in_flight
        await flow
        return result

    slow, rate, in_flight = run(main)
    assert slow is not None
    assert 8 < slow < 13
    assert rate is None
    assert in_flight == 128


def test_an_allowance_per_minute_is_used_up_minute_after_minute() -> None:
    async def main() -> Server:
        gate, server = Gate(Limits(128)), Server(FixedWindow(600, period=60.0))
        await flood(gate, server, 660)
        return server

    server = run(main)
    assert within(server.accepted, 60, 660) >= 0.9 * 6000
    assert within(server.refused, 60, 660) <= 0.05 * 6000
