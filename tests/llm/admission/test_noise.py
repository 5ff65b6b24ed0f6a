"""Faults that come by chance do not slow calls down; limits that fall are followed."""

from __future__ import annotations

import asyncio
import random
from functools import partial
from statistics import median
from typing import Any

import pytest

from prbgen.llm.admission import Gate, Hints, Limits
from tests.llm.admission.virtual import FixedWindow, Refusal, Server, TokenBucket, flood, heavy_tail, now, run, within


class Moody(Server):
    """No limit, but a share of calls is refused, and another hangs until the caller's time-out of a second."""

    def __init__(
        self, refusing: float, retry_after: float | None, hanging: float, latency: float, kind: Any = "rate_limit"
    ) -> None:
        super().__init__(latency=lambda: latency)
        self.refusing, self.retry_after, self.hanging, self.kind = refusing, retry_after, hanging, kind
        self.dice = random.Random(0)

    async def call(self) -> Hints | None:
        luck = self.dice.random()
        if luck < self.refusing:
            await asyncio.sleep(self.refusal)
            raise Refusal(self.kind, self.retry_after)
        if luck < self.refusing + self.hanging:
            await asyncio.sleep(1)
            raise Refusal("timeout")
        await asyncio.sleep(self.latency())
        self.accepted.append(now())
        return None


@pytest.mark.parametrize("hanging", [0, 0.06])
@pytest.mark.parametrize("retry_after", [None, 0.1])
@pytest.mark.parametrize("refusing", [0.01, 0.03])
@pytest.mark.parametrize(("concurrency", "latency"), [(16, 0.05), (16, 1.0)])
def test_chance_refusals_and_time_outs_cost_little(
    concurrency: int, latency: float, refusing: float, retry_after: float | None, hanging: float
) -> None:
    async def main() -> float:
        server = Moody(refusing, retry_after, hanging, latency)
        await flood(Gate(Limits(concurrency)), server, 60, crowd=2 * concurrency)
        return within(server.accepted, 20, 60) / 40

    free = concurrency * (1 - refusing - hanging)
    free /= (1 - refusing - hanging) * latency + refusing * 0.03 + hanging
    # A refusal that names a time closes the gate for it; between two of them 1 / refusing calls go out.
    attempts = free / (1 - refusing - hanging)
    open_for = 1 / (refusing * attempts)
    best = free * open_for / (open_for + (retry_after or 0))
    assert run(main) >= 0.6 * best


@pytest.mark.parametrize("kind", ["rate_limit", "overload"])
def test_what_chance_costs_does_not_add_up(kind: str) -> None:
    async def main() -> float:
        server = Moody(0.02, None, 0, 1.0, kind)
        await flood(Gate(Limits(64)), server, 660, crowd=128)
        return within(server.accepted, 600, 660) / 60

    assert run(main) >= 0.6 * 64 * 0.98


@pytest.mark.parametrize(("concurrency", "latency"), [(16, 0.5), (64, 1.0), (64, 5.0)])
@pytest.mark.parametrize(("refusing", "retry_after"), [(0.1, None), (0.2, None), (0.2, 0.1), (0.35, 0.1), (0.5, None)])
def test_a_server_that_others_keep_busy_is_lived_with(
    refusing: float, retry_after: float | None, concurrency: int, latency: float
) -> None:
    """Its refusals do not depend on what we send, so less of it brings nothing."""

    async def main(seed: int) -> float:
        server = Moody(refusing, retry_after, 0, latency)
        server.dice = random.Random(seed)
        await flood(Gate(Limits(concurrency)), server, 360, crowd=2 * concurrency)
        return within(server.accepted, 300, 360) / 60

    attempts = concurrency / ((1 - refusing) * latency + refusing * 0.03)
    open_for = 1 / (refusing * attempts)
    best = attempts * (1 - refusing) * open_for / (open_for + (retry_after or 0))
    # Chance may close the gate for minutes: not the rule.
    assert median(run(partial(main, seed)) for seed in range(3)) >= 0.3 * best


def test_no_turn_is_lost_where_the_loop_wakes_a_shade_too_early() -> None:
    async def main() -> int:
        server = Moody(0.2, 0.1, 0, 0.05)
        server.dice = random.Random(6)
        await flood(Gate(Limits(16)), server, 90, crowd=32)
        return within(server.accepted, 60, 90)

    assert run(main) > 2000


@pytest.mark.parametrize("tell", [True, False], ids=["with Retry-After", "without"])
@pytest.mark.parametrize("kind", [FixedWindow, lambda limit, tell: TokenBucket(limit, limit, tell)])
def test_a_limit_that_falls_to_a_tenth_is_followed(kind: Any, tell: bool) -> None:
    async def main() -> Server:
        rule = kind(50, tell=tell)
        server = Server(rule, latency=heavy_tail(1))
        flow = asyncio.create_task(flood(Gate(Limits(128)), server, 260, crowd=200))
        await asyncio.sleep(120)
        if isinstance(rule, FixedWindow):
            rule.limit = 5
        else:
            rule.rate = rule.burst = 5
        await flow
        return server

    server = run(main)
    accepted, refused = (within(times, 150, 260) for times in (server.accepted, server.refused))
    assert accepted >= 0.8 * 5 * 110
    assert refused <= 0.05 * (accepted + refused)


def test_a_second_verdict_on_a_call_is_ignored() -> None:
    async def main() -> int:
        gate = Gate(Limits(1))
        async with gate.slot("a") as slot:
            slot.succeeded()
            slot.failed("rate_limit", retry_after=100)
        async with asyncio.timeout(1), gate.slot("b"):
            return gate.in_flight

    assert run(main) == 1


def test_a_call_larger_than_the_limit_costs_one_minute() -> None:
    async def main() -> float:
        gate = Gate(Limits(4, tpm=1000))
        async with gate.slot("huge", tokens=50_000) as slot:
            slot.succeeded(tokens=50_000)
        async with gate.slot("next", tokens=10):
            return now()

    assert 60 <= run(main) <= 61
