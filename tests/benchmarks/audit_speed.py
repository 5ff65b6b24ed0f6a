"""Seconds that `prbgen audit` takes, and CPU seconds of its statistics beside a plain cross-validation by scikit-learn.

    python tests/benchmarks/audit_speed.py [--pairs 10000]

Made-up pairs, two answers of about 100 words each, by users of one to five pairs, with profiles of ten posts for the
whole command. Targets, for 10,000 pairs: the whole command, from file to page, within 60 s by the clock; shortcuts
(length, surface, TF-IDF) and what tells most within 40 s of CPU. The peer is scikit-learn's cross_val_score over a
pipeline of TfidfVectorizer and LogisticRegression, which is fitted again in each of 5 folds, on the same answers in the
same process: it tells single answers apart, once, and gives no interval.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from prbgen.generation.audit.shortcut import shortcuts  # noqa: E402
from prbgen.generation.audit.telling import telling  # noqa: E402
from prbgen.generation.audit.view import view  # noqa: E402
from prbgen.schema import PreferencePair  # noqa: E402

WORDS_AN_ANSWER = 100
VOCABULARY = 30_000
TARGET_SECONDS = 40.0
TARGET_COMMAND = 60.0
POSTS = 10
TARGET_PAIRS = 10_000

Result = TypeVar("Result")


def main() -> int:
    """Run all measurements and print them; 1 if the target is missed."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("--pairs", type=int, default=TARGET_PAIRS)
    count = options.parse_args().pairs
    import_libraries()
    pairs = made_up_pairs(count)
    seconds = command(pairs)
    print(f"{count:,} pairs of answers of {WORDS_AN_ANSWER} words")
    print(f"{'prbgen audit, wall':24}{seconds:8.1f} s")
    print("CPU seconds:")
    timed("ours, whole", lambda: ours(pairs))
    timed("peer", lambda: peer(pairs))
    print(f"{'peer / ours':24}{SECONDS['peer'] / SECONDS['ours, whole']:8.1f}")
    if count != TARGET_PAIRS:
        print(f"no target for this size; there is one for {TARGET_PAIRS:,} pairs")
        return 0
    missed = {
        f"command, {TARGET_COMMAND:g} s": seconds > TARGET_COMMAND,
        f"statistics, {TARGET_SECONDS:g} s": SECONDS["ours, whole"] > TARGET_SECONDS,
    }
    for name, is_missed in missed.items():
        print(f"target of the {name}: {'MISSED' if is_missed else 'met'}")
    return int(any(missed.values()))


def command(pairs: list[PreferencePair]) -> float:
    """Seconds by the clock of the whole command, in a process of its own, with questions and profiles."""
    texts = [answer for pair in pairs for answer in (pair.chosen, pair.rejected)]

    def row(number: int, pair: PreferencePair) -> dict[str, object]:
        # Any two questions are as unlike as two answers are.
        question = " ".join(texts[-number].split()[:15])
        posts = [texts[(number * POSTS + post) % len(texts)] for post in range(POSTS)]
        profile = [{"id": f"{number}_{post}", "text": text, "category": "x"} for post, text in enumerate(posts)]
        told = {"id": pair.id, "user_key": pair.user_key, "chosen": pair.chosen, "rejected": pair.rejected}
        return told | {"question": question, "profile": profile, "category": "x"}

    with TemporaryDirectory() as folder:
        data = Path(folder) / "pairs.jsonl"
        with data.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row(number, pair)) + "\n" for number, pair in enumerate(pairs))
        words = [sys.executable, "-m", "prbgen", "audit", str(data), "--out", str(Path(folder) / "report")]
        start = time.perf_counter()
        subprocess.run(words, check=False, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        assert (Path(folder) / "report" / "audit.html").is_file(), "the command failed"
    return seconds


def import_libraries() -> None:
    """Import what both use before anything is measured."""
    for name in ("scipy.stats", "sklearn.feature_extraction.text", "sklearn.linear_model", "sklearn.model_selection"):
        import_module(name)


def made_up_pairs(count: int) -> list[PreferencePair]:
    """Pairs whose words are drawn by rank as in natural text; sides differ by chance alone."""
    import numpy as np

    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(VOCABULARY)], dtype=object)
    up_to = np.cumsum(1 / np.arange(2, VOCABULARY + 2))

    def answer() -> str:
        length = max(20, int(rng.normal(WORDS_AN_ANSWER, WORDS_AN_ANSWER / 10)))
        drawn = list(words[np.searchsorted(up_to, rng.uniform(0, up_to[-1], length))])
        for end in range(11, length, 12):
            drawn[end] += rng.choice([".", ".", "!", "?", ",", " \u2013"])
        return " ".join(drawn).capitalize() + "."

    users = np.repeat(np.arange(count), rng.integers(1, 6, count))
    return [made_up_pair(number, answer(), answer(), f"user {users[number]}") for number in range(count)]


def made_up_pair(number: int, chosen: str, rejected: str, user: str) -> PreferencePair:
    """A pair with nothing but its answers and its user."""
    return PreferencePair(
        id=str(number),
        pair_id=None,
        question="Made up?",
        chosen=chosen,
        rejected=rejected,
        profile=None,
        rubric_aspects=None,
        narrative=None,
        category=None,
        subset="",
        split="test",
        user_key=user,
    )


def ours(pairs: list[PreferencePair]) -> None:
    """All of it, each step printed."""
    seen = timed("features and terms", lambda: view(pairs))
    timed("shortcuts", lambda: shortcuts(pairs, seen=seen))
    timed("telling", lambda: telling(pairs, seen=seen))


def peer(pairs: list[PreferencePair]) -> None:
    """scikit-learn's own cross-validation of the same kind of model, on single answers, by user."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline

    texts = [text for pair in pairs for text in (pair.chosen, pair.rejected)]
    users = [pair.user_key for pair in pairs for _ in range(2)]
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True), LogisticRegression())
    cross_val_score(model, texts, [1, 0] * len(pairs), groups=users, cv=GroupKFold(5))


def timed(name: str, step: Callable[[], Result]) -> Result:
    """What a step returns; its CPU seconds are printed and kept."""
    start = time.process_time()
    result = step()
    SECONDS[name] = time.process_time() - start
    print(f"{name:24}{SECONDS[name]:8.1f} s", flush=True)
    return result


SECONDS: dict[str, float] = {}

if __name__ == "__main__":
    sys.exit(main())
