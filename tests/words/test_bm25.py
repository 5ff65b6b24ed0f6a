import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.words.bm25 import Bm25, bm25_scores

ROOT = Path(__file__).parents[2]
vocabulary = ["tofu", "lentil", "bridge", "violin", "rain", "東", "京", "Кот"]
posts_of_words = st.lists(st.lists(st.sampled_from(vocabulary), max_size=12), max_size=8)


def by_the_formula(query: list[str], posts: list[list[str]], k1: float = 1.5, b: float = 0.75) -> list[float]:
    mean = sum(map(len, posts)) / len(posts)

    def idf(word: str) -> float:
        having = sum(word in post for post in posts)
        return math.log(1 + (len(posts) - having + 0.5) / (having + 0.5))

    def weight(word: str, post: list[str]) -> float:
        count = post.count(word)
        return idf(word) * count / (count + k1 * (1 - b + b * len(post) / mean)) if count else 0.0

    return [sum(weight(word, post) for word in query) for post in posts]


@settings(deadline=None)
@given(st.lists(st.sampled_from(vocabulary), max_size=6), posts_of_words)
def test_scores_follow_the_formula(query: list[str], posts: list[list[str]]) -> None:
    found = bm25_scores(" ".join(query), [" ".join(post) for post in posts])
    assert found == pytest.approx(by_the_formula(query, posts) if posts else [], abs=1e-5)


@settings(deadline=None)
@given(st.lists(st.sampled_from(vocabulary), max_size=6), posts_of_words.filter(bool), st.data())
def test_equal_posts_get_exactly_equal_scores(query: list[str], posts: list[list[str]], data: st.DataObject) -> None:
    texts = [" ".join(post) for post in posts]
    twin = data.draw(st.sampled_from(texts))
    scores = bm25_scores(" ".join(query), [twin, *texts, twin])
    assert scores[0] == scores[-1] == scores[1 + texts.index(twin)]


@pytest.mark.parametrize(
    ("question", "posts"),
    [
        ("violin", []),
        ("violin", ["", "  ", "?!"]),
        ("", ["a violin"]),
        ("How should I do this, and what for?", ["how should I do this", "what for"]),
        ("violin", ["a bridge", "rain"]),
        ("\ud800", ["\ud800", "a"]),
    ],
)
def test_without_a_shared_word_all_scores_are_zero(question: str, posts: list[str]) -> None:
    assert bm25_scores(question, posts) == [0.0] * len(posts)


def test_case_and_script_do_not_keep_words_apart() -> None:
    assert bm25_scores("ВИОЛА", ["виола", "кот"])[0] > 0
    assert bm25_scores("東京で安い食堂", ["犬", "京"])[1] > 0


def test_any_process_finds_the_same_scores() -> None:
    code = (
        "from prbgen.words.bm25 import bm25_scores\n"
        "texts = [' '.join(f'w{i * j % 17}' for j in range(40)) for i in range(30)]\n"
        "print([score.hex() for score in bm25_scores(' '.join(f'w{i}' for i in range(12)), texts)])"
    )

    def run(seed: str) -> str:
        command = [sys.executable, "-c", code]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert run("1") == run("2")


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    assert bm25_scores("violin", ["a violin", "rain"])[0] > 0
    assert capfd.readouterr() == ("", "")


@given(st.lists(posts_of_words, min_size=1, max_size=4), posts_of_words)
def test_an_index_for_many_questions_scores_as_for_one(
    questions: list[list[list[str]]], posts: list[list[str]]
) -> None:
    texts = [" ".join(post) for post in posts]
    index = Bm25(texts)
    for asked in questions:
        question = " ".join(word for part in asked for word in part)
        assert index.scores(question) == pytest.approx(bm25_scores(question, texts) if texts else [], abs=1e-5)
