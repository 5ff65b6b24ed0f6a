"""What it costs to send calls from the workers of a Ray cluster (one node, this machine) instead of this process.

    python tests/benchmarks/ray_overhead.py [--calls-each 5] [--concurrency 64 256]

At a latency of 1 s: time of the plain engine and of `--ray`, and their ratio. At none: calls a second by workers. The
start of cluster and workers is timed apart. The figures want an idle machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from engine_client import MODEL, question
from fresh_process import ROOT
from mock_provider import Settings, running
from outcome import Outcome

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster

MOST_RATIO = 1.10


async def timed(api_base: str, calls: int, concurrency: int, cluster: Cluster | None) -> tuple[float, float, float]:
    """Seconds until the first `concurrency` calls are answered, seconds for `calls` after that, and ms of CPU that this
    process takes for one of these.
    """
    from prbgen.llm.gateway import Gateway, Request
    from prbgen.llm.ledger import Ledger
    from prbgen.llm.model import Message
    from prbgen.llm.templates import Prompts
    from prbgen.llm.traffic import Traffic
    from prbgen.llm.way import Way
    from prbgen.model_settings import ModelSettings
    from prbgen.recipe import LimitSettings

    model = ModelSettings(name=f"openai/{MODEL}", api_base=api_base)
    limits, stop, traffic = LimitSettings(concurrency=concurrency), asyncio.Event(), Traffic()
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "ledger.sqlite") as ledger:
        route = Way(cluster=cluster).open(ledger, limits, stop=stop, traffic=traffic)
        gateway = Gateway(ledger, Prompts(), route, traffic)

        async def ask(number: int) -> object:
            text = question(number)
            return await gateway.ask(Request("answer", text[:20], model, (Message("user", text),), str, assumed="So."))

        try:
            begun = time.monotonic()
            await asyncio.gather(*(ask(-number) for number in range(1, concurrency + 1)))
            warm, busy = time.monotonic(), time.process_time()
            await asyncio.gather(*(ask(number) for number in range(calls)))
            return warm - begun, time.monotonic() - warm, 1000 * (time.process_time() - busy) / calls
        finally:
            await gateway.close()


def compared(calls_each: int, concurrencies: list[int]) -> list[Outcome]:
    """Plain and `--ray` at a latency of 1 s, then throughput at none."""
    import ray

    from prbgen.cluster.cluster import joined

    outcomes = []
    plain: dict[tuple[int, int], list[float]] = {}
    with running(Settings(latency=1)) as slow, running(Settings()) as quick:
        servers = {1: slow.api_base, 0: quick.api_base}
        for latency, api_base in servers.items():
            for concurrency in concurrencies:
                _, *plain[latency, concurrency] = asyncio.run(
                    timed(api_base, calls_each * concurrency, concurrency, None)
                )
        begun = time.monotonic()
        with joined("local") as cluster:
            print(f"cluster of {int(ray.cluster_resources()['CPU'])} CPUs: started in {time.monotonic() - begun:.1f} s")
            for latency, api_base in servers.items():
                for concurrency in concurrencies:
                    calls = calls_each * concurrency
                    start, seconds, cpu = asyncio.run(timed(api_base, calls, concurrency, cluster))
                    alone, own = plain[latency, concurrency]
                    workers = -(-concurrency // 64)
                    print(
                        f"latency {latency} s, concurrency {concurrency}, {workers} workers wanted, {calls} calls:"
                        f" plain {alone:.2f} s ({calls / alone:.0f}/s), ray {seconds:.2f} s ({calls / seconds:.0f}/s);"
                        f" workers and first calls {start:.1f} s;"
                        f" CPU of this process a call: {own:.1f} ms, {cpu:.1f} ms"
                    )
                    if latency:
                        what = f"time of --ray over plain, 1 s, {concurrency} at once"
                        outcomes.append(Outcome.at_most("ray", what, seconds / alone, MOST_RATIO))
    return outcomes


def main() -> int:
    """Measure as the command line says; 1 if a target is missed."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("--calls-each", type=int, default=10, help="calls for each that may be under way")
    options.add_argument("--concurrency", type=int, nargs="+", default=[64, 128, 256])
    arguments = options.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ["OPENAI_API_KEY"] = "none"
    outcomes = compared(arguments.calls_each, arguments.concurrency)
    print(*outcomes, sep="\n")
    return int(not all(outcome.met for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
