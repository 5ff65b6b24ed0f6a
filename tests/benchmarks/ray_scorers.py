"""What it costs to have reward models on a cluster: scalar scores through one worker beside one process; HTTP requests.

    python tests/benchmarks/ray_scorers.py [--pairs 200] [--threads 1] [--requests 2000]

A classifier of about 10 million parameters with random weights scores pairs of about 600 tokens by `ScalarScorer`, then
by `ClusterScalarScorer` with one worker on one node that Ray starts here, with as many threads; loading does not count.
Target, whatever the machine: 0.9 of the pairs a second of one process, if a core is free beside those of the model.
Then `HttpScorer` asks a server in a process of its own, 64 requests at once: requests for each second of CPU that the
driver takes, which is what one driver carries. The figures want an idle machine.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from outcome import Outcome

from prbgen.evaluation.scorers.scorer import Asked, Scorer
from prbgen.evaluation.settings import ScorerSettings
from prbgen.recipe import LimitSettings

LEAST_SHARE = 0.9
LEAST_REQUESTS = 200.0
AT_ONCE = 64


def main() -> int:
    """Run all measurements and print them; 1 if a target is missed."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("--pairs", type=int, default=200)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--requests", type=int, default=2000)
    given = options.parse_args()
    alone, cluster = asyncio.run(scalar(given.pairs, given.threads))
    print(f"{given.pairs} pairs: {alone:.1f} pairs/s in one process, {cluster:.1f} through a worker")
    carried, rate = http(given.requests)
    print(f"{given.requests} requests: {rate:.0f} a second of wall clock")
    outcomes = [
        Outcome.at_least("r", "scalar: share of one process' pairs/s", cluster / alone, LEAST_SHARE),
        Outcome.at_least("s", "http: requests per second of the driver's CPU", carried, LEAST_REQUESTS),
    ]
    print(*outcomes, sep="\n")
    return int(not all(outcome.met for outcome in outcomes))


def pairs(count: int, words: int) -> Iterator[Asked]:
    """Pairs that share a question of so many words."""
    for place in range(count):
        said = f"{place} " + "which novel should I read first " * (words // 6)

        def message(_: int, said: str = said) -> str:
            return said

        yield Asked(place, f"pair {place}", (f"This one, {place}.", "That one. " * 8), 0, message)


async def seconds(scorer: Scorer, asked: Iterator[Asked]) -> float:
    """How long scoring takes."""
    begun, stop = time.monotonic(), asyncio.Event()
    async for found in scorer.score(asked, stop):
        if found.reason:
            raise SystemExit(found.reason)
    return time.monotonic() - begun


async def scalar(count: int, threads: int) -> tuple[float, float]:
    """Pairs a second of one process, and through a worker."""
    import ray
    import torch

    from prbgen.evaluation.scorers.scalar.on_cluster import ClusterScalarScorer
    from prbgen.evaluation.scorers.scalar.scalar_scorer import ScalarScorer
    from prbgen.llm.traffic import Traffic

    torch.set_num_threads(threads)
    with tempfile.TemporaryDirectory() as folder:
        settings = ScorerSettings("scalar", str(classifier(Path(folder))), device="cpu")
        ray.init("local", num_cpus=threads, include_dashboard=False, log_to_driver=False, logging_level="error")
        rates = []
        for scorer in (
            ScalarScorer.load(settings),
            await ClusterScalarScorer.open(settings, stop=asyncio.Event(), traffic=Traffic()),
        ):
            await seconds(scorer, pairs(5, 200))
            rates.append(count / await seconds(scorer, pairs(count, 200)))
            await scorer.close()
        ray.shutdown()
    return rates[0], rates[1]


def classifier(folder: Path) -> Path:
    """A Qwen2 of six layers."""
    import torch
    from transformers import Qwen2Config, Qwen2ForSequenceClassification

    from tests.data_cards.tiny import TEMPLATE, tokenizer

    made = tokenizer(TEMPLATE)
    torch.manual_seed(0)
    shape: dict[str, Any] = {
        "vocab_size": len(made), "hidden_size": 384, "intermediate_size": 1024, "num_hidden_layers": 6,
        "num_attention_heads": 6, "num_key_value_heads": 6, "num_labels": 1, "pad_token_id": None,
    }  # fmt: skip
    Qwen2ForSequenceClassification(Qwen2Config(**shape)).save_pretrained(folder)  # type: ignore[no-untyped-call]
    made.save_pretrained(folder)
    return folder


def http(count: int) -> tuple[float, float]:
    """Requests for each second of this process' CPU, and for each second."""
    from prbgen.evaluation.scorers.http import HttpScorer

    context = multiprocessing.get_context("spawn")
    port = context.Queue()
    server = context.Process(target=serve, args=(port,), daemon=True)
    server.start()
    limits = LimitSettings(concurrency=AT_ONCE)
    settings = ScorerSettings("http", f"http://127.0.0.1:{port.get()}/score", limits=limits)

    async def measured() -> tuple[float, float]:
        scorer = HttpScorer(settings)
        await seconds(scorer, pairs(100, 1500))
        cpu = time.process_time()
        wall = await seconds(scorer, pairs(count, 1500))
        cpu = time.process_time() - cpu
        await scorer.close()
        return count / cpu, count / wall

    try:
        return asyncio.run(measured())
    finally:
        server.terminate()
        server.join()


def serve(port: Any) -> None:
    """A reward server that scores nothing."""
    from aiohttp import web

    async def score(request: web.Request) -> web.Response:
        body = await request.json()
        return web.json_response({"scores": [0.0] * len(body["inputs"])})

    async def run() -> None:
        application = web.Application()
        application.router.add_post("/score", score)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port.put(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


if __name__ == "__main__":
    sys.exit(main())
