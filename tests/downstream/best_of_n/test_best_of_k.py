"""The estimator against an enumeration of all subsets, in exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.best_of_n.best_of_k import any_of_k, best_of_k, judges_best_of_k, ks_up_to

TINY = 1e-12
# Few values, so that ties are common, in scores and in qualities.
ANSWERS = st.lists(
    st.tuples(st.integers(-3, 3), st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 0.9, 1.0])), min_size=1, max_size=8
)


def enumerated(answers: Sequence[tuple[float, float]], k: int) -> Fraction:
    """The mean over all k-subsets of the mean quality of those that have the subset's highest score."""
    total = Fraction(0)
    for subset in combinations(answers, k):
        top = [Fraction(quality) for score, quality in subset if score == max(score for score, _ in subset)]
        total += sum(top, Fraction(0)) / len(top)
    return total / comb(len(answers), k)


def estimated(answers: Sequence[tuple[float, float]], ks: Sequence[int]) -> list[float]:
    scores, qualities = np.array(answers, dtype=np.float64).T[:, None]
    found: list[float] = best_of_k(scores, qualities, ks)[:, 0].tolist()
    return found


@given(ANSWERS)
def test_it_is_what_an_enumeration_of_all_subsets_gives(answers: list[tuple[float, float]]) -> None:
    ks = range(1, len(answers) + 1)
    assert estimated(answers, ks) == pytest.approx([float(enumerated(answers, k)) for k in ks], abs=TINY)


@given(ANSWERS, st.randoms())
def test_the_order_of_the_answers_does_not_matter(answers: list[tuple[float, float]], chance: object) -> None:
    shuffled = list(answers)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    ks = range(1, len(answers) + 1)
    assert estimated(shuffled, ks) == pytest.approx(estimated(answers, ks), abs=TINY)


@given(ANSWERS)
def test_only_the_order_of_the_scores_matters(answers: list[tuple[float, float]]) -> None:
    ks = range(1, len(answers) + 1)
    for rising in (lambda score: 7 * score - 3, lambda score: score**3, np.exp):
        assert estimated([(rising(score), quality) for score, quality in answers], ks) == estimated(answers, ks)


@given(ANSWERS)
def test_of_one_answer_any_choice_is_by_lot(answers: list[tuple[float, float]]) -> None:
    mean = sum(quality for _, quality in answers) / len(answers)
    assert estimated(answers, [1]) == pytest.approx([mean], abs=TINY)


@given(ANSWERS)
def test_equal_scores_choose_by_lot_for_every_k(answers: list[tuple[float, float]]) -> None:
    scores, qualities = np.array(answers, dtype=np.float64).T[:, None]
    ks = range(1, len(answers) + 1)
    by_lot = any_of_k(scores, qualities, ks)
    assert by_lot == pytest.approx(np.full_like(by_lot, qualities.mean()), abs=TINY)
    assert np.array_equal(best_of_k(np.full_like(scores, 7.5), qualities, ks), by_lot)


@given(ANSWERS)
def test_the_oracle_rises_with_k_up_to_the_best_answer_and_nobody_is_above_it(
    answers: list[tuple[float, float]],
) -> None:
    scores, qualities = np.array(answers, dtype=np.float64).T[:, None]
    ks = range(1, len(answers) + 1)
    oracle = judges_best_of_k(scores, qualities, ks)[:, 0]
    assert (np.diff(oracle) >= -TINY).all()
    assert oracle[-1] == pytest.approx(qualities.max(), abs=TINY)
    assert (best_of_k(scores, qualities, ks)[:, 0] <= oracle + TINY).all()


def test_of_all_answers_the_best_scored_one_is_taken() -> None:
    assert estimated([(0.1, 1.0), (0.7, 0.25), (0.3, 0.5)], [3]) == [0.25]


@given(st.lists(ANSWERS, min_size=1, max_size=6), st.data())
def test_questions_are_apart_and_answers_without_score_or_quality_are_not_there(
    questions: list[list[tuple[float, float]]], data: st.DataObject
) -> None:
    width = 10
    scores, qualities = np.full((2, len(questions), width), np.nan)
    for number, answers in enumerate(questions):
        places = data.draw(st.permutations(range(width)))
        for place, (score, quality) in zip(places, answers, strict=False):
            scores[number, place], qualities[number, place] = score, quality
        # A score or a quality alone makes no answer.
        scores[number, places[8]], qualities[number, places[9]] = 5.0, 0.5
    ks = range(1, width + 1)
    found = best_of_k(scores, qualities, ks)
    for number, answers in enumerate(questions):
        possible = estimated(answers, range(1, len(answers) + 1))
        assert found[: len(answers), number] == pytest.approx(possible, abs=TINY)
        assert np.isnan(found[len(answers) :, number]).all()


@pytest.mark.parametrize("k", [1, 2, 16, 64, 100, 128])
def test_128_answers_are_as_exact_as_fractions(k: int) -> None:
    generator = np.random.default_rng(1)
    scores, qualities = generator.integers(0, 40, 128).astype(float), generator.random(128)
    exact = Fraction(0)
    for score in set(scores.tolist()):
        tied = [Fraction(each) for each in qualities[scores == score].tolist()]
        below = int((scores < score).sum())
        exact += Fraction(comb(below + len(tied), k) - comb(below, k), comb(128, k)) * sum(tied) / len(tied)
    assert best_of_k(scores[None], qualities[None], [k])[0, 0] == pytest.approx(float(exact), abs=1e-14)


def test_a_question_without_any_answer_to_use_is_unknown() -> None:
    nothing = np.full((1, 4), np.nan)
    assert np.isnan(best_of_k(nothing, nothing, [1, 2, 4])).all()
    assert np.isnan(best_of_k(np.empty((1, 0)), np.empty((1, 0)), [1])).all()


@pytest.mark.parametrize(
    ("n", "ks"),
    [(1, (1,)), (2, (1, 2)), (3, (1, 2, 3)), (4, (1, 2, 4)), (12, (1, 2, 4, 8, 12)), (16, (1, 2, 4, 8, 16))],
)
def test_k_goes_by_powers_of_two_up_to_n(n: int, ks: tuple[int, ...]) -> None:
    assert ks_up_to(n) == ks
