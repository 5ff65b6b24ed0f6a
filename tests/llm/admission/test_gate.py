"""Whose turn it is, what a given limit allows, and what happens when a server says no."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.llm.admission import Allowance, Gate, Hints, Limits, Stopped
from prbgen.llm.model import FaultKind
from tests.llm.admission.virtual import Refusal, Server, TokenBucket, flood, heavy_tail, now, one, run


def most_within_a_minute(times: list[float], amounts: list[float]) -> float:
    sums = [0.0, *accumulate(amounts)]
    return max(sums[bisect_left(times, start + 60)] - sums[index] for index, start in enumerate(times))


async def hold(gate: Gate, key: str, seconds: float, order: list[str], *, again: bool = False) -> None:
    async with gate.slot(key, again=again) as slot:
        order.append(key)
        await asyncio.sleep(seconds)
        slot.succeeded()


def test_turns_come_in_order_and_retries_go_first() -> None:
    async def main() -> list[str]:
        gate, order = Gate(Limits(1)), list[str]()
        calls = [("a", False), ("b", False), ("c", True), ("d", False), ("e", True)]
        await asyncio.gather(*(hold(gate, key, 1, order, again=again) for key, again in calls))
        return order

    assert run(main) == ["a", "c", "e", "b", "d"]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 20),
    st.lists(st.tuples(st.floats(0, 3), st.floats(0.01, 2), st.none() | st.floats(0, 4)), min_size=1, max_size=60),
    st.sampled_from(["ok", "rate_limit", "connection", "none"]),
)
def test_no_place_is_lost_and_never_too_many_are_taken(
    concurrency: int, calls: list[tuple[float, float, float | None]], ending: Any
) -> None:
    async def main() -> None:
        gate = Gate(Limits(concurrency))
        taken = peak = 0

        async def call(number: int, start: float, seconds: float) -> None:
            nonlocal taken, peak
            await asyncio.sleep(start)
            async with gate.slot(str(number)) as slot:
                taken += 1
                peak = max(peak, taken)
                try:
                    await asyncio.sleep(seconds)
                finally:
                    taken -= 1
                if ending == "ok" or number % 3:
                    slot.succeeded()
                elif ending != "none":
                    slot.failed(ending)

        loop = asyncio.get_running_loop()
        tasks = []
        for number, (start, seconds, cancelled) in enumerate(calls):
            tasks.append(asyncio.create_task(call(number, start, seconds)))
            if cancelled is not None:
                loop.call_later(cancelled, tasks[-1].cancel)
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)
        assert peak <= concurrency
        assert (gate.in_flight, gate.waiting) == (0, 0)
        async with asyncio.timeout(400), gate.slot("last") as slot:
            slot.succeeded()

    run(main)


def test_a_turn_that_comes_as_its_caller_gives_up_is_passed_on() -> None:
    async def main() -> list[str]:
        gate, order = Gate(Limits(1)), list[str]()
        async with gate.slot("first"):
            second = asyncio.create_task(hold(gate, "second", 1, order))
            third = asyncio.create_task(hold(gate, "third", 1, order))
            await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, third, return_exceptions=True)
        assert gate.in_flight == 0
        return order

    assert run(main) == ["third"]


def test_a_stop_sends_home_who_waits_and_who_comes() -> None:
    async def main() -> None:
        stop = asyncio.Event()
        gate, order = Gate(Limits(1), stop=stop), list[str]()
        calls = [asyncio.create_task(hold(gate, str(number), 5, order)) for number in range(4)]
        await asyncio.sleep(1)
        stop.set()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert results[0] is None
        assert [type(each) for each in results[1:]] == [Stopped] * 3
        with pytest.raises(Stopped):
            await hold(gate, "late", 1, order)
        assert order == ["0"]
        assert (gate.in_flight, gate.waiting) == (0, 0)
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == 1

    run(main)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3000))
def test_requests_a_minute_hold_in_every_minute_and_are_used(rpm: int) -> None:
    async def main() -> list[float]:
        gate, server = Gate(Limits(64, rpm=rpm)), Server(latency=lambda: 0.5)
        await flood(gate, server, 240, crowd=100)
        return server.arrivals

    arrivals = run(main)
    assert most_within_a_minute(arrivals, [1.0] * len(arrivals)) <= rpm
    assert len(arrivals) >= int(4 * 0.97 * rpm)


@settings(max_examples=25, deadline=None)
@given(st.integers(2000, 10**6), st.lists(st.integers(1, 1500), min_size=1, max_size=20))
def test_tokens_a_minute_hold_in_every_minute(tpm: int, sizes: list[int]) -> None:
    async def main() -> tuple[list[float], list[float]]:
        gate = Gate(Limits(64, tpm=tpm))
        times, spent = list[float](), list[float]()

        async def call(number: int) -> None:
            size = sizes[number % len(sizes)]
            async with gate.slot(str(number), tokens=size) as slot:
                times.append(now())
                spent.append(size)
                await asyncio.sleep(0.5)
                slot.succeeded(tokens=size)

        await asyncio.gather(*map(call, range(300)))
        return times, spent

    assert most_within_a_minute(*run(main)) <= tpm


def test_estimates_are_corrected_by_what_was_used() -> None:
    async def main(used: int) -> float:
        gate = Gate(Limits(4, tpm=6000))
        for number in range(40):
            async with gate.slot(str(number), tokens=500) as slot:
                await asyncio.sleep(0.1)
                slot.succeeded(tokens=used)
        return now()

    frugal, fair, wasteful = (run(partial(main, used)) for used in (100, 500, 1000))
    assert frugal < 0.5 * fair
    assert wasteful > 1.8 * fair


def test_a_call_larger_than_the_limit_goes_alone_and_does_not_hang() -> None:
    async def main() -> float:
        gate = Gate(Limits(4, tpm=1000))
        for number in range(2):
            async with asyncio.timeout(2000), gate.slot(str(number), tokens=5000) as slot:
                slot.succeeded()
        return now()

    assert run(main) > 60


def test_one_refusal_holds_all_until_the_time_it_names() -> None:
    async def main() -> tuple[list[float], Any]:
        gate, starts = Gate(Limits(8)), list[float]()
        async with gate.slot("refused") as slot:
            slot.failed("rate_limit", retry_after=30)

        async def call(number: int) -> None:
            async with gate.slot(str(number)) as slot:
                starts.append(now())
                await asyncio.sleep(1)
                slot.succeeded()

        calls = [asyncio.create_task(call(number)) for number in range(20)]
        await asyncio.sleep(10)
        pause = gate.pause
        await asyncio.gather(*calls)
        return starts, pause

    starts, pause = run(main)
    assert min(starts) >= 30
    assert (pause.reason, pause.seconds_left) == ("rate_limit", 20)


def test_a_storm_is_met_with_silence() -> None:
    class Storm:
        def arrive(self) -> None:
            if now() < 120:
                raise Refusal("rate_limit", 10)

        def leave(self) -> None:
            pass

    async def main() -> tuple[Server, float]:
        gate, server = Gate(Limits(128)), Server(Storm())
        await asyncio.gather(*(one(gate, server, str(number)) for number in range(1000)))
        return server, now()

    server, end = run(main)
    assert len(server.refused) <= 16 + 12
    assert len(server.accepted) == 1000
    assert end < 260


def test_headers_that_leave_nothing_hold_calls_until_the_reset() -> None:
    async def main() -> list[float]:
        gate, starts = Gate(Limits(8)), list[float]()
        async with gate.slot("first") as slot:
            slot.succeeded(hints=Hints(requests=Allowance(10, 2, 20.0), tokens=Allowance(1000, 100, 40.0)))
        for tokens in (10, 10, 10, 500):
            async with gate.slot("next", tokens=tokens) as slot:
                starts.append(now())
                slot.succeeded()
        return starts

    assert run(main) == [0, 0, 20, 40]


def test_a_server_that_tells_what_is_left_need_refuse_hardly_anything() -> None:
    class Telling(TokenBucket):
        def arrive(self) -> Any:
            super().arrive()
            return Hints(requests=Allowance(int(self.burst), int(self._level), 1.0))

    async def main() -> Server:
        gate, server = Gate(Limits(128)), Server(Telling(50, 50), latency=heavy_tail())
        await flood(gate, server, 200)
        return server

    server = run(main)
    assert len(server.accepted) >= 0.9 * 50 * 200
    assert len(server.refused) <= 0.02 * len(server.accepted)


class Outage:
    def __init__(self, start: float, end: float, kind: FaultKind = "server") -> None:
        self.start, self.end, self.kind = start, end, kind

    def arrive(self) -> None:
        if self.start <= now() < self.end:
            raise Refusal(self.kind)

    def leave(self) -> None:
        pass


@pytest.mark.parametrize("kind", ["server", "connection", "rate_limit"])
def test_an_outage_of_ten_minutes_costs_a_few_probes_and_ends_by_itself(kind: FaultKind) -> None:
    async def main() -> tuple[Server, list[Any], int]:
        gate, server, pauses = Gate(Limits(64)), Server(Outage(30, 630, kind)), list[Any]()

        async def watch() -> None:
            while True:
                await asyncio.sleep(7)
                pauses.append((now(), gate.pause))

        watcher = asyncio.create_task(watch())
        await flood(gate, server, 1100)
        watcher.cancel()
        return server, pauses, gate.window

    server, pauses, window = run(main)
    probes = [each for each in server.refused if each > 60]
    assert len(server.refused) < 200
    assert len(probes) <= 7
    assert {pause.reason for when, pause in pauses if 60 < when < 620 and pause} == {kind}
    assert sum(pause is not None for when, pause in pauses if 60 < when < 620) >= 75
    assert all(pause is None for when, pause in pauses if when < 30 or when > 940)
    assert window == 64
    back = min(when for when in server.accepted if when > 630)
    assert back <= 630 + 320


def fail_in_a_row(faults: int, key: Callable[[int], str], gate_of: Callable[[], Gate]) -> Any:
    async def main() -> Any:
        gate = gate_of()
        for number in range(faults):
            async with gate.slot(key(number)) as slot:
                slot.failed("server")
        return gate.pause

    return run(main)


def test_a_lone_failing_call_pauses_nothing_but_two_do() -> None:
    def gate() -> Gate:
        return Gate(Limits(8))

    assert fail_in_a_row(50, lambda _: "same", gate) is None
    assert fail_in_a_row(4, str, gate) is None
    pause = fail_in_a_row(5, str, gate)
    assert (pause.reason, pause.seconds_left) == ("server", 5)


def test_faults_among_successes_pause_nothing() -> None:
    async def main() -> None:
        gate = Gate(Limits(8))
        for number in range(200):
            async with gate.slot(str(number)) as slot:
                if number % 5:
                    slot.failed("connection")
                else:
                    slot.succeeded()
            assert gate.pause is None

    run(main)


def test_a_pause_doubles_with_each_failed_probe_and_heeds_a_longer_wish_of_the_server() -> None:
    async def main() -> list[float]:
        gate, probes = Gate(Limits(8)), list[float]()
        for number in range(5):
            async with gate.slot(str(number)) as slot:
                slot.failed("server")
        for retry_after in (None, None, 700, None, None, None, None, None, None):
            async with gate.slot("probe") as slot:
                probes.append(now())
                slot.failed("server", retry_after=retry_after)
        return probes

    probes = run(main)
    assert [later - earlier for earlier, later in zip([0, *probes], probes, strict=False)] == [
        5, 10, 20, 700, 80, 160, 300, 300, 300,
    ]  # fmt: skip


def test_exactly_one_probe_goes_out_and_another_if_it_is_cancelled() -> None:
    async def main() -> None:
        gate, order = Gate(Limits(8)), list[str]()
        for number in range(5):
            async with gate.slot(str(number)) as slot:
                slot.failed("connection")
        calls = [asyncio.create_task(hold(gate, f"call {number}", 60, order)) for number in range(10)]
        await asyncio.sleep(6)
        assert order == ["call 0"]
        calls[0].cancel()
        await asyncio.sleep(1)
        assert order == ["call 0", "call 1"]
        await asyncio.sleep(61)
        assert gate.pause is None
        assert len(order) > 5
        await asyncio.gather(*calls, return_exceptions=True)
        assert len(order) == 10

    run(main)


def test_waiting_polls_nothing() -> None:
    async def main() -> int:
        gate = Gate(Limits(8))
        async with gate.slot("refused") as slot:
            slot.failed("rate_limit", retry_after=10_000)
        loop: Any = asyncio.get_running_loop()
        calls = [asyncio.create_task(hold(gate, str(number), 1, [])) for number in range(1000)]
        await asyncio.sleep(1)
        timers = sum(not timer.cancelled() for timer in loop._scheduled)
        await asyncio.gather(*calls)
        return timers

    assert run(main) == 1
