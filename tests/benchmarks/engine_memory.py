"""What memory a whole run takes that grows with its number of items (e).

    python tests/benchmarks/engine_memory.py FOLDER --items 1000

Small questions are read from JSON lines, a scripted model answers them, and pairs.jsonl is written, in one process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fresh_process import record_of
from outcome import Outcome
from read_and_rank import peak_mb

FEW, MANY = 1000, 100_000
MOST_MB = 100.0


def memory() -> Iterator[Outcome]:
    """(e) Peak memory at 100,000 items less that at 1,000."""
    peaks = []
    for items in (FEW, MANY):
        with tempfile.TemporaryDirectory() as folder:
            record = record_of("engine_memory.py", folder, "--items", items)
        if record["pairs"] != items:
            raise SystemExit(f"e  {record['pairs']} pairs came of {items} items")
        peaks.append(record["mb"])
        print(f"e  {items:7,} items: peak memory {record['mb']:.0f} MB, {items / record['seconds']:.0f} items/s")
    yield Outcome.at_most("e", f"peak memory beyond that at {FEW:,} items, MB", peaks[1] - peaks[0], MOST_MB)


def row(number: int) -> dict[str, Any]:
    """A small question in LaMP-QA's layout, with a rubric of its own and one or two short posts."""
    posts = [f"Pots {number}\nI own {number} pots and a stove.", f"Bread {number}\nMine takes {number} minutes."]
    return {
        "id": f"1_{number}_0",
        "question": f"What could I cook for supper on day {number}?",
        "profile": [
            {"category": "cooking", "id": f"1_{number}_0_{place}", "text": text}
            for place, text in enumerate(posts[: 1 + number % 2])
        ],
        "rubric_aspects": [
            {"aspect": "Needs no oven", "evidence": "My oven broke last spring.", "reason": "There is none."},
            {"aspect": "Has no onions", "evidence": "a toddler who hates onions", "reason": "The child won't eat."},
        ],
        "narrative": "My oven broke last spring. I cook for a toddler who hates onions.",
        "category": "cooking",
    }


def write(folder: Path, items: int) -> dict[str, Any]:
    """Write source and script; returns the tables of a recipe."""
    source = folder / "Lifestyle_and_Personal_Development_test.jsonl"
    with source.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row(number)) + "\n" for number in range(items))
    script = folder / "model.jsonl"
    reply = "{digest} fits well. Fry {digest} with crisp {digest}, and add {digest} at the end of {digest}."
    script.write_text(json.dumps({"stage": "answer", "reply": reply}) + "\n", encoding="utf-8")
    return {"source": {"path": str(source)}, "models": {"answer": f"scripted/{script}"}}


async def generate_all(folder: Path, items: int) -> dict[str, float]:
    """Pairs, seconds and peak memory of a run."""
    from prbgen.generation import Tally, generate
    from prbgen.llm.templates import Prompts
    from prbgen.llm.way import Way
    from prbgen.recipe import Recipe
    from prbgen.run import Run

    recipe = Recipe.model_validate(write(folder, items))
    run, tally = Run(folder / "run"), Tally()
    begun = time.monotonic()
    with run.locked():
        await generate(
            recipe, run, Prompts(), way=Way(), say=lambda text: print(text, file=sys.stderr), stop=asyncio.Event(),
            tally=tally,
        )  # fmt: skip
    return {"pairs": tally.pairs, "seconds": time.monotonic() - begun, "mb": peak_mb()}


def main() -> None:
    """Run as the command line says."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--items", type=int, default=FEW)
    print(json.dumps(asyncio.run(generate_all(**vars(options.parse_args())))))


if __name__ == "__main__":
    main()
