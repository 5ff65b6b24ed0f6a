"""How fast answers that share question and profile are scored, on a CPU.

    python tests/benchmarks/score_pairs.py [--family qwen2|llama] [--rounds 1]

A sequence classifier of about 100 million parameters with random weights, and people with answers (score_data.py),
are made here: 20 people with a pair of answers, 4 with 16 candidates. Ours is prbgen's classifier. The peers are what
people write: `plain`, batches of 8 inputs in the order of the data, padded to the longest; and `single`, one input at a
time. All render the same chat template, compute in float32, and run in turn, each in a process of its own; loading does
not count, tokenising does. Targets, whatever the machine: 2.2 times as fast as `plain` and 1.6 times as fast as
`single` for pairs, 6.5 times as fast as `single` for 16 candidates, and scores within 1e-3 of those of `single`. Peak
memory is of the whole process. Takes about twenty minutes on two cores. The figures want an idle machine; with more
rounds the quickest of each counts.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fresh_process import record_of
from outcome import Outcome
from read_and_rank import peak_mb
from score_data import FAMILIES, read, save_model, save_tokenizer, write

PAIRS, QUESTIONS, CANDIDATES = 20, 4, 16
BATCH = 8
OVER_PLAIN, OVER_SINGLE, OVER_SINGLE_CANDIDATES = 2.2, 1.6, 6.5
MOST_APART = 1e-3

Scores = list[list[float]]
Rows = list[dict[str, Any]]
Ready = Callable[[Rows], Scores]


def main() -> int:
    """Run all measurements and print them; 1 if a target is missed."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("--family", choices=FAMILIES, default=FAMILIES[0])
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--pairs", type=int, default=PAIRS)
    options.add_argument("--questions", type=int, default=QUESTIONS)
    options.add_argument("--prepare", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.prepare:
        print(json.dumps(prepare(given.prepare, given.family, given.pairs, given.questions)))
        return 0
    if given.measure:
        how, model, file = given.measure
        print(json.dumps(measure(how, Path(model), Path(file))))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        sizes = ("--family", given.family, "--pairs", given.pairs, "--questions", given.questions)
        about = record_of("score_pairs.py", "--prepare", folder, *sizes)
        print(f"{given.family}, {about.pop('parameters') / 1e6:.0f} million parameters")
        outcomes = [
            *pairs(Path(folder), about["pairs"], given.pairs, given.rounds),
            *candidates(Path(folder), about["candidates"], given.questions, given.rounds),
        ]
    print(*outcomes, sep="\n")
    if (given.pairs, given.questions) != (PAIRS, QUESTIONS):
        print(f"no target for this size; there is one for {PAIRS} pairs and {QUESTIONS} questions")
        return 0
    return int(not all(outcome.met for outcome in outcomes))


def pairs(folder: Path, about: dict[str, float], count: int, rounds: int) -> Iterator[Outcome]:
    """(p) Two answers a person, by all three."""
    print(f"{count} pairs: {described(about)}")
    plain, single, ours = in_turn(("plain", "single", "ours"), folder, "pairs", rounds)
    yield Outcome.at_least("p", "pairs: times as fast as plain", plain["seconds"] / ours["seconds"], OVER_PLAIN)
    yield Outcome.at_least("p", "pairs: times as fast as single", single["seconds"] / ours["seconds"], OVER_SINGLE)
    yield Outcome.at_most("p", "pairs: furthest from single's score", apart(ours, single), MOST_APART)


def candidates(folder: Path, about: dict[str, float], count: int, rounds: int) -> Iterator[Outcome]:
    """(c) Sixteen answers a person, one by one and by ours."""
    print(f"{count} questions with {CANDIDATES} candidates: {described(about)}")
    single, ours = in_turn(("single", "ours"), folder, "candidates", rounds)
    what = f"{CANDIDATES} candidates: times as fast as single"
    yield Outcome.at_least("c", what, single["seconds"] / ours["seconds"], OVER_SINGLE_CANDIDATES)
    what = f"{CANDIDATES} candidates: furthest from single's score"
    yield Outcome.at_most("c", what, apart(ours, single), MOST_APART)


def in_turn(hows: Sequence[str], folder: Path, data: str, rounds: int) -> list[dict[str, Any]]:
    """The quickest record of each way, run in turn so that a busy minute of the machine meets all of them."""
    records: dict[str, list[dict[str, Any]]] = {how: [] for how in hows}
    for _ in range(rounds):
        for how in hows:
            record = record_of("score_pairs.py", "--measure", how, folder / "model", folder / f"{data}.jsonl")
            records[how].append(record)
            figures = f"{record['seconds']:8.1f} s {record['cpu']:8.1f} s of CPU {record['mb']:8.0f} MB"
            print(f"  {how:8}{figures}", flush=True)
    return [min(records[how], key=lambda record: float(record["seconds"])) for how in hows]


def apart(one: dict[str, Any], other: dict[str, Any]) -> float:
    """The largest difference of two scores of the same answer."""
    both = zip(one["scores"], other["scores"], strict=True)
    return max(abs(float(a) - float(b)) for scores in both for a, b in zip(*scores, strict=True))


def described(about: dict[str, float]) -> str:
    """Lengths in words."""
    message = f"{about['message_mean']:.0f} tokens (sd {about['message_sd']:.0f}, at most {about['message_most']:.0f})"
    return f"what is asked has {message}, an answer {about['answer_mean']:.0f} (sd {about['answer_sd']:.0f})"


def prepare(folder: Path, family: str, pairs: int, questions: int) -> dict[str, Any]:
    """Write the model and both kinds of work."""
    tokenizer = save_tokenizer(folder / "model")
    return {
        "parameters": save_model(folder / "model", family, tokenizer.pad_token_id),
        "pairs": write(folder / "pairs.jsonl", tokenizer, pairs, 2, seed=2),
        "candidates": write(folder / "candidates.jsonl", tokenizer, questions, CANDIDATES, seed=3),
    }


def measure(how: str, model: Path, file: Path) -> dict[str, Any]:
    """Seconds to score all answers, the scores, and what it took of the processor (seconds) and of memory."""
    rows = read(file)
    score = WAYS[how](model)
    score([{"message": "Is it warm?", "answers": ["It is.", "It will be."]}])
    begun, cpu = time.perf_counter(), time.process_time()
    scores = score(rows)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    return {"seconds": seconds, "cpu": cpu, "mb": peak_mb(), "scores": scores}


def ours(folder: Path) -> Ready:
    """prbgen's classifier, which gets the answers of a person as a group."""
    from prbgen.evaluation.scorers.scalar.classifier import Candidates, Classifier
    from prbgen.evaluation.settings import ScorerSettings

    classifier = Classifier.load(ScorerSettings("scalar", str(folder), device="cpu"))

    def score(rows: Rows) -> Scores:
        groups = (Candidates(place, row["message"], row["answers"]) for place, row in enumerate(rows))
        found = {each.place: each for each in classifier.score(groups)}
        if unscored := [each.reason for each in found.values() if each.reason]:
            raise SystemExit(f"ours: {unscored[0]}")
        return [list(found[place].scores) for place in range(len(rows))]

    return score


def loop(folder: Path, batch: int) -> Ready:
    """A loop over the answers in their order, in batches that are padded to the longest of them."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()

    def rendered(message: str, answer: str) -> str:
        turns = [{"role": "user", "content": message}, {"role": "assistant", "content": answer}]
        return str(tokenizer.apply_chat_template(turns, tokenize=False))

    def score(rows: Rows) -> Scores:
        texts = [rendered(row["message"], answer) for row in rows for answer in row["answers"]]
        found: list[float] = []
        for start in range(0, len(texts), batch):
            part = texts[start : start + batch]
            inputs = tokenizer(part, padding=True, add_special_tokens=False, return_tensors="pt")
            with torch.inference_mode():
                found += model(**inputs).logits[:, 0].tolist()
        scores = iter(found)
        return [[next(scores) for _ in row["answers"]] for row in rows]

    return score


WAYS: dict[str, Callable[[Path], Ready]] = {
    "ours": ours,
    "plain": lambda folder: loop(folder, BATCH),
    "single": lambda folder: loop(folder, 1),
}

if __name__ == "__main__":
    sys.exit(main())
