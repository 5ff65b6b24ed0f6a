"""What a reward server gains by scoring requests together that arrive together, on a CPU.

    python tests/benchmarks/serve_batches.py [--rounds 2]

64 clients ask at once, each with one answer, as the reward workers of a training do: 8 prompts of about 2,000 tokens
(score_data.py), 8 answers to each. The model is a decoder of 4 layers with random weights. `together` is the server as
it comes; `one by one` is the same server with batches of one. Both run in this process one after the other, over HTTP,
and each round asks both; the quickest round of each counts. Targets: 3 times as fast together, and scores within 1e-4
of each other. Takes some minutes on two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from outcome import Outcome
from score_data import read, save_tokenizer, write

sys.path.insert(0, str(Path(__file__).parents[2]))

PROMPTS, ANSWERS = 8, 8
TIMES_AS_FAST = 3
MOST_APART = 1e-4
WAYS = {"together": 256, "one by one": 1}

Inputs = list[tuple[str, str]]


def main() -> int:
    """Run both and print what they took; 1 if a target is missed."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("--rounds", type=int, default=2)
    rounds = options.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        tokenizer = save_tokenizer(model)
        save_small_model(model, tokenizer.pad_token_id)
        write(Path(folder) / "asked.jsonl", tokenizer, PROMPTS, ANSWERS, seed=4)
        rows = read(Path(folder) / "asked.jsonl")
        # Answers to one prompt come apart, as they do from workers that know nothing of each other.
        inputs = [(row["message"], row["answers"][number]) for number in range(ANSWERS) for row in rows]
        taken = asyncio.run(measure(model, inputs, rounds))
    best = {way: min(seconds for seconds, _ in runs) for way, runs in taken.items()}
    for way, seconds in best.items():
        print(f"{way:12}{seconds:8.2f} s{len(inputs) / seconds:8.1f} scores a second")
    one, other = (runs[0][1] for runs in taken.values())
    apart = max(abs(a - b) for a, b in zip(one, other, strict=True))
    outcomes = (
        Outcome.at_least("s", "times as fast together", best["one by one"] / best["together"], TIMES_AS_FAST),
        Outcome.at_most("s", "furthest apart", apart, MOST_APART),
    )
    print(*outcomes, sep="\n")
    return int(not all(outcome.met for outcome in outcomes))


async def measure(folder: Path, inputs: Inputs, rounds: int) -> dict[str, list[tuple[float, list[float]]]]:
    """By way: the seconds until all had their scores, and these."""
    from prbgen.evaluation.scorers.scalar.scalar_scorer import ScalarScorer
    from prbgen.evaluation.settings import ScorerSettings

    scorer = ScalarScorer.load(ScorerSettings("scalar", str(folder), device="cpu"))
    taken: dict[str, list[tuple[float, list[float]]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, batch in WAYS.items():
            taken[way].append(await served(scorer, batch, inputs))
    await scorer.close()
    return taken


async def served(scorer: Any, batch: int, inputs: Inputs) -> tuple[float, list[float]]:
    """One server, one burst of requests."""
    import httpx

    from prbgen.downstream.ppo.serve.app import reward_app
    from prbgen.downstream.ppo.serve.desk import Bounds, Desk
    from prbgen.downstream.ppo.serve.metrics import Metrics
    from prbgen.downstream.ppo.serve.server import listening
    from prbgen.local_address import free_address

    metrics = Metrics()
    desk = Desk(Bounds(batch=batch), metrics)
    address = free_address("127.0.0.1", 0)
    async with listening(reward_app(desk, metrics, "scalar:small"), address), httpx.AsyncClient(timeout=None) as client:
        work = asyncio.create_task(desk.serve(scorer, asyncio.Event()))

        async def ask(prompt: str, response: str) -> float:
            body = {"inputs": [{"prompt": prompt, "response": response}]}
            reply = await client.post(f"{address.url}/score", json=body)
            return float(reply.raise_for_status().json()["scores"][0])

        await ask("Is it warm?", "Yes.")
        begun = time.perf_counter()
        scores = await asyncio.gather(*(ask(*each) for each in inputs))
        seconds = time.perf_counter() - begun
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
    return seconds, scores


def save_small_model(folder: Path, pad: int) -> None:
    """A classifier of 4 layers with one label, in float32."""
    import torch
    from transformers import LlamaConfig, LlamaForSequenceClassification

    torch.manual_seed(0)
    shape: dict[str, Any] = {
        "vocab_size": 8192,
        "hidden_size": 256,
        "intermediate_size": 688,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 8192,
        "num_labels": 1,
        "pad_token_id": pad,
    }
    model = LlamaForSequenceClassification(LlamaConfig(**shape))  # type: ignore[no-untyped-call]
    torch.nn.init.normal_(model.score.weight, std=256**-0.5)
    model.save_pretrained(folder)


if __name__ == "__main__":
    sys.exit(main())
