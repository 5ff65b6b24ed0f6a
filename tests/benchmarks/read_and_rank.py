"""Seconds and memory for reading and ranking LaMP-QA.

    python tests/benchmarks/read_and_rank.py [--questions 1000] [--posts 120]

Made-up questions in LaMP-QA's layout, about 200 words a post, are written to a JSON-lines file. Each figure comes from
a process of its own. Target, for 1,000 questions of 120 posts on two cores: read and ranked within 30 s and 300 MB. The
peer is rank_bm25, if it is installed, on the same questions, with words split at spaces.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WORDS_A_POST = 200
VOCABULARY = 30_000
TARGET_SECONDS, TARGET_MB = 30.0, 300.0
TARGET_QUESTIONS, TARGET_POSTS = 1000, 120


def main() -> int:
    """Run all measurements and print them; 1 if a target is missed."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("--questions", type=int, default=TARGET_QUESTIONS)
    options.add_argument("--posts", type=int, default=TARGET_POSTS)
    options.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.write:
        write(given.write, given.questions, given.posts)
        return 0
    if given.measure:
        what, file = given.measure
        print(json.dumps({"seconds": MEASURES[what](Path(file)), "mb": peak_mb()}))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return report(Path(folder) / "Society_and_Culture_test.jsonl", given.questions, given.posts)


def report(file: Path, questions: int, posts: int) -> int:
    """Measure and print, one line a measurement."""
    in_a_process("--write", str(file), "--questions", str(questions), "--posts", str(posts))
    print(f"{questions:,} questions of {posts} posts of {WORDS_A_POST} words, {file.stat().st_size / 1e6:,.0f} MB")
    figures = {what: json.loads(in_a_process("--measure", what, str(file))) for what in MEASURES}
    for what in ("read", "rank", "both"):
        print(f"{what:8}{figures[what]['seconds']:8.1f} s {figures[what]['mb']:8.0f} MB")
    peer, rank = figures["peer"]["seconds"], figures["rank"]["seconds"]
    print("rank_bm25 not installed" if peer is None else f"rank_bm25{peer:7.1f} s, {peer / rank:.1f} times ours")
    if questions * posts != TARGET_QUESTIONS * TARGET_POSTS:
        print(f"no target for this size; there is one for {TARGET_QUESTIONS:,} questions of {TARGET_POSTS} posts")
        return 0
    both = figures["both"]
    missed = both["seconds"] > TARGET_SECONDS or both["mb"] > TARGET_MB
    print(f"target  {TARGET_SECONDS:8.1f} s {TARGET_MB:8.0f} MB  {'MISSED' if missed else 'met'}")
    return int(missed)


def in_a_process(*arguments: str) -> str:
    """What this script prints when it runs in a fresh Python."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, __file__, *arguments]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def write(file: Path, questions: int, posts: int) -> None:
    """Write made-up rows: words drawn by rank as in natural text, a few characters beyond ASCII in every third post."""
    import numpy as np

    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(VOCABULARY)], dtype=object)
    up_to = np.cumsum(1 / np.arange(2, VOCABULARY + 2))

    def text(length: int) -> str:
        return " ".join(words[np.searchsorted(up_to, rng.uniform(0, up_to[-1], length))])

    def post(number: int, question: int) -> dict[str, str]:
        body = text(max(1, int(rng.normal(WORDS_A_POST, WORDS_A_POST / 4))))
        ending = " \u2014 isn\u2019t it?" if number % 3 == 0 else ", is it?"
        return {"category": "made-up", "id": f"0_0_{question}_{number}", "text": body + ending}

    with file.open("w", encoding="utf-8") as lines:
        for number in range(questions):
            aspects = [{"aspect": text(8), "evidence": text(15), "reason": text(25)} for _ in range(5)]
            row = {
                "id": f"0_{number}_0",
                "question": text(15) + "?",
                "profile": [post(place, number) for place in range(posts)],
                "rubric_aspects": aspects,
                "narrative": text(150),
                "category": "made-up",
            }
            lines.write(json.dumps(row) + "\n")


def read(file: Path) -> float:
    """Seconds to read all questions."""
    start = time.perf_counter()
    for _ in questions_of(file):
        pass
    return time.perf_counter() - start


def both(file: Path) -> float:
    """Seconds to read and rank all questions, with the imports that this takes."""
    start = time.perf_counter()
    rank = ranker()
    for question in questions_of(file):
        rank(question)
    return time.perf_counter() - start


def rank(file: Path) -> float:
    """Seconds to rank all questions, without reading them."""
    return timed(ranker(), file)


def peer(file: Path) -> float | None:
    """Seconds that rank_bm25 takes to put the same posts in order; null where it is not installed."""
    try:
        from rank_bm25 import BM25Okapi
    except ImportError:
        return None

    def order(question: Any) -> list[int]:
        scores = BM25Okapi([post.text.lower().split() for post in question.profile]).get_scores(
            question.question.lower().split()
        )
        return sorted(range(len(scores)), key=lambda place: -scores[place])

    return timed(order, file)


def timed(order: Callable[[Any], object], file: Path) -> float:
    """Seconds spent in `order` alone, over all questions."""
    seconds = 0.0
    for question in unchecked_questions(file):
        start = time.perf_counter()
        order(question)
        seconds += time.perf_counter() - start
    return seconds


def ranker() -> Callable[[Any], object]:
    """The default ranker."""
    from prbgen.generation.rank import make_ranker
    from prbgen.recipe import ProfileSettings

    return make_ranker(ProfileSettings())


def questions_of(file: Path) -> Iterator[Any]:
    """The questions as the product reads them."""
    from prbgen.recipe import SourceSettings
    from prbgen.schema import Question
    from prbgen.sources import read_questions

    for item in read_questions(SourceSettings(path=str(file))):
        if not isinstance(item, Question):
            raise SystemExit(f"a made-up question is refused: {item}")
        yield item


def unchecked_questions(file: Path) -> Iterator[Any]:
    """The questions straight from their lines, so that reading does not count."""
    from prbgen.schema import Question

    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield Question(**json.loads(line), subset="Society_and_Culture", split="test", user_key="made-up")


def peak_mb() -> float:
    """The most memory that this process has held, in MB of 1,000,000 bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


MEASURES: dict[str, Callable[[Path], float | None]] = {"read": read, "rank": rank, "both": both, "peer": peer}

if __name__ == "__main__":
    sys.exit(main())
