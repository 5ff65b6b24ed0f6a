from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generation.audit.duplicates import find_duplicates
from prbgen.generation.audit.results import Duplicates, Twins
from prbgen.generation.audit.shingles import Similarity, shingles
from prbgen.schema import PreferencePair

FUR = "How do I get the smell of wet dog out of a wool carpet without having it cleaned by a professional?"
FUR_AGAIN = "How do I get the smell of a wet dog out of a wool carpet without having it cleaned by a professional"
OTHERS = [
    "Which museums in Lisbon are worth a visit with two small children?",
    "How do I tell my landlord that the heating is broken without sounding rude?",
    "How do I get over the feeling that every colleague is better than me?",
    "Why did the Romans stop building in concrete?",
    "",
]


def pair(number: int, question: str, subset: str = "a", **columns: Any) -> PreferencePair:
    given: dict[str, Any] = {
        "id": f"q{number}", "pair_id": None, "question": question, "chosen": f"Yes {number}", "profile": None,
        "rejected": f"No {number}", "rubric_aspects": None, "narrative": None, "category": None, "subset": subset,
        "split": "test", "user_key": f"u{number}",
    }  # fmt: skip
    return PreferencePair(**{**given, **columns})


def counts(*pairs: PreferencePair) -> tuple[int, int, int]:
    found = find_duplicates(pairs)
    return found.within, found.across, found.same_answers


def test_near_duplicates_are_found_within_and_across_subsets_and_other_questions_are_not() -> None:
    rows = [pair(number, text) for number, text in enumerate(OTHERS)]
    rows += [pair(10, FUR), pair(11, FUR_AGAIN), pair(12, FUR.upper(), "b"), pair(13, OTHERS[0] + "!", "b")]
    found = find_duplicates(rows)
    assert (found.within, found.across) == (1, 2)
    assert found.examples[0] == Twins("q10", "a", "q12", "b", 1.0)
    assert {(each.one, each.other) for each in found.examples} == {("q10", "q12"), ("q10", "q11"), ("q0", "q13")}
    assert all(each.similarity >= 0.8 for each in found.examples)
    assert counts(*rows[: len(OTHERS)]) == (0, 0, 0)


def test_scripts_without_spaces_are_compared_too() -> None:
    text = "如何在不请专业人士清洗的情况下去除羊毛地毯上湿狗的气味并且不损坏地毯的颜色和质地呢"
    assert counts(pair(1, text), pair(2, text + "？"), pair(3, "罗马人为什么不再用混凝土建造房屋")) == (1, 0, 0)
    assert counts(pair(1, "为何"), pair(2, "为何", "b"), pair(3, "何时")) == (0, 1, 0)


def test_one_question_in_several_rows_is_no_duplicate() -> None:
    variants = [pair(1, FUR, strategy=name, chosen="The same.") for name in ("avoid", "counter", "swap")]
    assert counts(*variants) == (0, 0, 0)
    assert counts(pair(1, FUR, user_key="u"), pair(2, FUR, user_key="u")) == (0, 0, 0)


def test_the_same_words_by_another_user_or_in_another_subset_are_a_duplicate() -> None:
    assert counts(pair(1, FUR), pair(2, FUR)) == (1, 0, 0)
    assert counts(pair(1, FUR), pair(1, FUR, "b")) == (0, 1, 2)
    assert counts(pair(1, FUR), pair(1, OTHERS[0])) == (0, 0, 2)


def test_of_many_alike_all_but_one_count() -> None:
    assert counts(*(pair(number, FUR + "?" * number) for number in range(9))) == (8, 0, 0)


def test_answers_under_several_questions_count_once() -> None:
    rows = [pair(1, FUR, chosen="Use  Soda."), pair(2, OTHERS[0], rejected="use soda."), pair(3, OTHERS[1], chosen="")]
    assert counts(*rows, pair(4, OTHERS[3], chosen="", rejected="Use soda.")) == (0, 0, 1)
    assert counts(pair(1, FUR, chosen="Soda", rejected="Soda")) == (0, 0, 0)


def test_nothing_is_found_where_nothing_is_asked() -> None:
    assert find_duplicates([]) == find_duplicates([pair(1, " ")]) == Duplicates(0, 0, 0, ())


def test_the_most_alike_are_the_examples_in_the_same_order_each_time() -> None:
    words = random.Random(5)
    texts = [" ".join(words.choices("abcdefgh", k=60)) for _ in range(40)]
    rows = [pair(number, text + " x" * (number // 40), "ab"[number // 40]) for number, text in enumerate(texts * 2)]
    found = find_duplicates(rows)
    assert found.across == 40
    assert len(found.examples) == 20
    alike = [each.similarity for each in found.examples]
    assert alike == sorted(alike, reverse=True)
    assert found == find_duplicates(rows)


@given(st.lists(st.text(alphabet="ab ", max_size=12), max_size=12))
def test_what_is_left_without_the_repeats_has_no_two_alike(texts: list[str]) -> None:
    """Agrees with comparing all with all."""
    kept: list[set[int]] = []
    repeats = 0
    for text in texts:
        shown = set(shingles(" ".join(text.split())).tolist())
        if not text.strip():
            continue
        if any(len(shown & each) / len(shown | each) >= 0.8 for each in kept):
            repeats += 1
        else:
            kept.append(shown)
    assert counts(*(pair(number, text) for number, text in enumerate(texts)))[0] == repeats


@given(st.lists(st.text(min_size=1, max_size=30), min_size=2, max_size=5))
def test_similarity_is_that_of_the_sets_of_passages(texts: list[str]) -> None:
    passages = [{text.ljust(5)[at : at + 5] for at in range(max(1, len(text) - 4))} for text in texts]
    similarity = Similarity([shingles(text) for text in texts])
    for one, other in combinations(range(len(texts)), 2):
        union = passages[one] | passages[other]
        assert similarity.to(one, [other])[0] == pytest.approx(len(passages[one] & passages[other]) / len(union))
        assert similarity.to(one, [other]) == similarity.to(other, [one])


def test_passages_of_any_text_are_sorted_hashes() -> None:
    found = shingles("\ud800 lone surrogate")
    assert found.dtype == np.uint64
    assert found.tolist() == sorted(set(found.tolist()))
