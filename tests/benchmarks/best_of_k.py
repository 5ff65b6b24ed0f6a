"""How long the curves of a whole benchmark take, beside drawing subsets, and beside enumerating them.

    python tests/benchmarks/best_of_k.py [--questions 2830] [--models 20] [--n 128]

Drawing is what is usually done: `--draws` subsets of each size for each question, in a plain loop over questions and
vectorised over draws, which is also how far it is off. Enumeration is exact, and possible for few answers only. Both
run for a part and are taken as that fast for all.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import combinations
from math import comb
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from prbgen.downstream.best_of_n.best_of_k import Floats, any_of_k, best_of_k, judges_best_of_k, ks_up_to
from prbgen.downstream.best_of_n.points import ByUser


def sample(questions: int, n: int) -> tuple[Floats, Floats]:
    """Scores and qualities (questions, n), both with ties."""
    chance = np.random.default_rng(0)
    qualities = chance.integers(0, 13, (questions, n)) / 12
    return np.round(qualities + chance.normal(0, 1, (questions, n)), 2), qualities


def drawn(scores: Floats, qualities: Floats, ks: tuple[int, ...], draws: int) -> Floats:
    """(k, questions) By as many subsets as drawn; the first of equal scores is taken."""
    chance = np.random.default_rng(1)
    found = np.empty((len(ks), len(scores)))
    for question, (row_scores, row_qualities) in enumerate(zip(scores, qualities, strict=True)):
        for place, k in enumerate(ks):
            subsets = chance.random((draws, scores.shape[1])).argsort(axis=1)[:, :k]
            best = row_scores[subsets].argmax(axis=1)
            found[place, question] = row_qualities[subsets[np.arange(draws), best]].mean()
    return found


def enumerated(scores: Floats, qualities: Floats, k: int) -> float:
    """Of one question, by all subsets."""
    total = 0.0
    for subset in combinations(range(len(scores)), k):
        top = max(scores[each] for each in subset)
        tied = [qualities[each] for each in subset if scores[each] == top]
        total += sum(tied) / len(tied)
    return total / comb(len(scores), k)


def curves(scores: Floats, qualities: Floats, ks: tuple[int, ...], models: int) -> float:
    """Seconds for all figures and intervals of so many models, each question by another user."""
    begun = time.perf_counter()
    for _ in range(models):
        by_user = ByUser(len(scores), ks)
        by_user.add(
            np.arange(len(scores)), *(each(scores, qualities, ks) for each in (best_of_k, any_of_k, judges_best_of_k))
        )
        by_user.points()
    return time.perf_counter() - begun


def main() -> None:
    """Print seconds, and ratios in the same run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("questions", 2830), ("models", 20), ("n", 128), ("draws", 1000), ("part", 30)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    (scores, qualities), ks = sample(asked.questions, asked.n), ks_up_to(asked.n)
    best_of_k(scores[:2], qualities[:2], ks)

    begun = time.perf_counter()
    exact = best_of_k(scores, qualities, ks)
    ours = time.perf_counter() - begun
    part = min(asked.part, asked.questions)
    begun = time.perf_counter()
    near = drawn(scores[:part], qualities[:part], ks, asked.draws)
    loop = (time.perf_counter() - begun) * asked.questions / part
    off = float(np.abs(near - exact[:, :part]).max())
    print(f"one model, {asked.questions:,} questions, {asked.n} answers, k = {', '.join(map(str, ks))}: {ours:.3f} s")
    print(f"{asked.draws:,} subsets drawn of each size: {loop:.1f} s, up to {off:.3f} off; ratio {loop / ours:.0f}")

    few, k = (each[0, :20] for each in (scores, qualities)), 10
    row_scores, row_qualities = few
    begun = time.perf_counter()
    slow = enumerated(row_scores, row_qualities, k)
    enumeration = time.perf_counter() - begun
    repeats = 200
    begun = time.perf_counter()
    for _ in range(repeats):
        fast = float(best_of_k(row_scores[None], row_qualities[None], (k,))[0, 0])
    single = (time.perf_counter() - begun) / repeats
    print(
        f"one question, 10 of 20 answers: enumeration {enumeration:.2f} s, difference {abs(slow - fast):.1e};", end=" "
    )
    print(f"ratio {enumeration / single:.0f}")
    print(f"{asked.models} models, with 2,000 resamples of users: {curves(scores, qualities, ks, asked.models):.1f} s")


if __name__ == "__main__":
    main()
