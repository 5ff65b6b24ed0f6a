"""How well the engine keeps a server busy: (a) latencies with a heavy tail, (b) a rate limit, (c) CPU per call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any

from engine_client import question
from fresh_process import record_of
from mock_provider import Running, Settings, latency_of, running, scheduled
from outcome import Outcome

CALLS, CONCURRENCY = 2000, 128
LATENCY, TAIL = 1.0, 0.05
RATE, WARM_UP_SECONDS = 50.0, 10.0
CPU_CALLS, CPU_WARM_UP, CPU_CONCURRENCY, CPU_ROUNDS = 1000, 200, 64, 3
MOST_OVER_SCHEDULE, LEAST_OF_RATE, MOST_REFUSED, MOST_CPU = 1.10, 0.90, 0.05, 1.30


def over_schedule() -> Iterator[Outcome]:
    """(a) From first request to last reply, over a first-come-first-served schedule with the same latencies."""
    schedule = scheduled([latency_of(question(number), LATENCY, TAIL) for number in range(CALLS)], CONCURRENCY)
    print(f"a  {CALLS:,} calls, {LATENCY:g} s ({TAIL:.0%} at {5 * LATENCY:g} s), {CONCURRENCY} at once;", end=" ")
    print(f"schedule {schedule:.1f} s")
    for kind in ("openai", "litellm", "ours"):
        with running(Settings(latency=LATENCY, tail=TAIL)) as server:
            begun = time.monotonic()
            client(kind, server, "--calls", CALLS, "--concurrency", CONCURRENCY)
            seen = server.counters()
        seconds = seen["last_replied"] - seen["first"]
        start_up = seen["first"] - begun
        print(
            f"   {kind:8}{seconds:7.1f} s, {seconds / schedule:.3f} x the schedule; start-up {start_up:.1f} s;", end=" "
        )
        print(f"the server saw {seen['arrived']:,} calls, at most {seen['max_in_flight']} at once", flush=True)
        if seen["replied"] != CALLS:
            raise SystemExit(f"a  {kind} got {seen['replied']:,} replies to {CALLS:,} calls: no time to compare")
    yield Outcome.at_most("a", "time over the schedule", seconds / schedule, MOST_OVER_SCHEDULE)


def under_rate_limit() -> Iterator[Outcome]:
    """(b) Share of the allowed rate that is used, and share of requests refused, after warm-up."""
    for retry_after in (True, False):
        with running(Settings(latency=LATENCY, tail=TAIL, rate=RATE, retry_after=retry_after)) as server:
            client("ours", server, "--calls", CALLS, "--concurrency", CONCURRENCY)
            whole, warm = server.counters(), server.counters(after=WARM_UP_SECONDS)
        used = warm["accepted"] / (warm["last_accepted"] - warm["begin"]) / RATE
        refused = warm["refused"] / warm["arrived"]
        kind = "with Retry-After" if retry_after else "without Retry-After"
        print(f"b  {kind}: {whole['last_replied'] - whole['first']:.1f} s in all,", end=" ")
        print(f"{whole['refused']} refused, {warm['refused']} of them after {WARM_UP_SECONDS:g} s")
        yield Outcome.at_least("b", f"share of {RATE:g} requests/s, {kind}", used, LEAST_OF_RATE)
        yield Outcome.at_most("b", f"share refused, {kind}", refused, MOST_REFUSED)


def cpu_per_call() -> Iterator[Outcome]:
    """(c) CPU per call without latency, over that of bare litellm.acompletion; medians of processes run in turn."""
    spent: dict[str, list[float]] = {"litellm": [], "ours": []}
    arguments = ("--calls", CPU_CALLS, "--concurrency", CPU_CONCURRENCY, "--warm-up", CPU_WARM_UP)
    for _ in range(CPU_ROUNDS):
        for kind, each in spent.items():
            with running(Settings()) as server:
                each.append(client(kind, server, *arguments)["cpu"] / CPU_CALLS * 1000)
    for kind, each in spent.items():
        print(f"c  {kind:8}{statistics.median(each):6.2f} ms of CPU a call ({min(each):.2f} to {max(each):.2f})")
    ratio = statistics.median(spent["ours"]) / statistics.median(spent["litellm"])
    yield Outcome.at_most("c", "CPU over bare LiteLLM", ratio, MOST_CPU)


def client(kind: str, server: Running, *arguments: object) -> dict[str, Any]:
    """What engine_client.py prints when it runs in a fresh Python."""
    return record_of("engine_client.py", kind, server.api_base, *arguments)
