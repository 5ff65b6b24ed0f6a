"""Memory of the driver along a run of many pairs whose calls all go through the workers of a Ray cluster.

    python tests/benchmarks/ray_memory.py [--pairs 100000]

A scripted model rates both answers of synthetic pairs (`prbgen evaluate`, two calls a pair) without a delay. The
resident memory of the driver is read every second, and shown where 10 %, 50 % and 100 % of the calls were sent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from fresh_process import ROOT
from outcome import Outcome

# Of the driver's memory at the end, over that at a tenth of the run.
MOST_GROWTH = 1.15
SHARES = (0.1, 0.5, 1.0)


def resident_mb() -> float:
    """What this process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def write(folder: Path, pairs: int) -> None:
    """Pairs as RewardBench has them, and the script."""
    with (folder / "pairs.jsonl").open("w", encoding="utf-8") as file:
        for number in range(pairs):
            answers = {"chosen": f"Because of {number}.", "rejected": f"Nobody knows {number}."}
            file.write(json.dumps({"prompt": f"Why {number}?", **answers, "subset": "chat", "id": number}) + "\n")
    (folder / "model.jsonl").write_text(json.dumps({"reply": {"score": 7}}) + "\n", encoding="utf-8")


def measured(folder: Path, pairs: int, concurrency: int) -> list[tuple[float, float]]:
    """The share of calls that were sent, and memory (MB), second by second."""
    from prbgen.cluster.cluster import joined
    from prbgen.evaluation.evaluate import PairTally, evaluate
    from prbgen.evaluation.results import Results
    from prbgen.evaluation.settings import DataSettings, Evaluation, ScorerSettings
    from prbgen.llm.templates import Prompts
    from prbgen.recipe import LimitSettings

    write(folder, pairs)
    scorer = ScorerSettings(
        kind="rate", model=f"scripted/{folder}/model.jsonl", limits=LimitSettings(concurrency=concurrency)
    )
    evaluation = Evaluation(DataSettings(str(folder / "pairs.jsonl")), "none", scorer)
    tally, over, seen = PairTally(), threading.Event(), list[tuple[float, float]]()

    def watch() -> None:
        while not over.wait(1):
            seen.append((tally.traffic.sent / (2 * pairs), resident_mb()))

    with joined("local") as cluster:
        watcher = threading.Thread(target=watch)
        watcher.start()
        begun = time.monotonic()
        try:
            asyncio.run(
                evaluate(
                    evaluation, Results(folder / "out"), Prompts(), stop=asyncio.Event(), tally=tally,
                    say=print, cluster=cluster,
                )
            )  # fmt: skip
        finally:
            over.set()
            watcher.join()
        seconds = time.monotonic() - begun
    print(f"{tally.scored:,} pairs, {tally.traffic.sent:,} calls, {tally.traffic.sent / seconds:.0f} calls/s")
    return [*seen, (1.0, resident_mb())]


def main() -> int:
    """Measure as the command line says; 1 if the target is missed."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("--pairs", type=int, default=100_000)
    options.add_argument("--concurrency", type=int, default=128)
    arguments = options.parse_args()
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        seen = measured(Path(folder), arguments.pairs, arguments.concurrency)
    at = {share: next(mb for done, mb in seen if done >= share) for share in SHARES}
    for share, mb in at.items():
        print(f"{share:4.0%} of {arguments.pairs:,} pairs: the driver holds {mb:.0f} MB")
    outcome = Outcome.at_most("ray", "memory at the end over that at 10 %", at[1.0] / at[0.1], MOST_GROWTH)
    print(outcome)
    return int(not outcome.met)


if __name__ == "__main__":
    sys.exit(main())
