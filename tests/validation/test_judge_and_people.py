"""The automatic judge against people."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from prbgen.errors import InputError
from prbgen.recipe import ValidationSettings
from prbgen.validation.judge import judge_found
from prbgen.validation.kappa import Case, Weights, kappa, kappa_figure
from prbgen.validation.marks import marks
from prbgen.validation.report import Figure
from tests.validation.marked import a_pair, a_round, quality, rubric

SETTINGS = ValidationSettings(resamples=300)
MARKED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40)


def table(cases: list[tuple[int, int]], labels: int = 5) -> NDArray[np.float64]:
    counts = np.zeros((labels, labels))
    for judge, people in cases:
        counts[judge, people] += 1
    return counts


@pytest.mark.parametrize(("weights", "theirs"), [("none", None), ("quadratic", "fc")])
@pytest.mark.parametrize("seed", range(4))
def test_kappa_is_that_of_statsmodels(seed: int, weights: Weights, theirs: str | None) -> None:
    counts = np.random.default_rng(seed).integers(0, 20, (5, 5)).astype(float)
    expected = cohens_kappa(counts, wt=theirs, return_results=False)
    assert float(kappa(counts, weights)) == pytest.approx(float(expected))


@given(MARKED)
def test_kappa_is_that_of_sklearn_and_undefined_only_where_both_say_one_thing(cases: list[tuple[int, int]]) -> None:
    judge, people = [each for each, _ in cases], [each for _, each in cases]
    for weights, theirs in (("none", None), ("quadratic", "quadratic")):
        found = float(kappa(table(cases), weights))  # type: ignore[arg-type]
        if len({*judge, *people}) == 1:
            assert np.isnan(found)
        else:
            expected = cohen_kappa_score(judge, people, labels=range(5), weights=theirs)
            assert found == pytest.approx(expected, abs=1e-12)


@given(MARKED, st.randoms(use_true_random=False))
def test_the_order_of_cases_does_not_matter(marked: list[tuple[int, int]], random: Any) -> None:
    cases = [Case(judge, people, f"u{number % 5}") for number, (judge, people) in enumerate(marked)]
    mixed = list(cases)
    random.shuffle(mixed)
    settings = ValidationSettings(resamples=100)
    assert kappa_figure(cases, 5, "quadratic", settings) == kappa_figure(mixed, 5, "quadratic", settings)


def test_the_interval_is_over_users_and_the_same_for_the_same_seed() -> None:
    random = np.random.default_rng(5)
    people = random.integers(0, 5, 300)
    judge = np.clip(people + random.integers(-1, 2, 300), 0, 4)

    def figure(of: int, seed: int) -> Figure:
        cases = [Case(int(j), int(p), f"u{n // of}") for n, (j, p) in enumerate(zip(judge, people, strict=True))]
        return kappa_figure(cases, 5, "quadratic", ValidationSettings(resamples=4000, seed=seed))

    one = figure(1, 0)
    assert one.value is not None
    assert one.ci95
    assert one.ci95[0] < one.value < one.ci95[1]
    assert figure(1, 0) == one
    assert figure(1, 1) != one
    # statsmodels' asymptotic interval, for cases that do not depend on each other.
    counts = table(list(zip(judge.tolist(), people.tolist(), strict=True)))
    theirs = cohens_kappa(counts, wt="fc")
    assert one.ci95 == pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=0.02)
    # One of 90 % would be narrower by 16 %.
    assert one.ci95[1] - one.ci95[0] == pytest.approx(theirs.kappa_upp - theirs.kappa_low, rel=0.1)
    alike = kappa_figure(
        [Case(int(judge[n // 10]), int(people[n // 10]), f"u{n // 10}") for n in range(300)], 5, "quadratic", SETTINGS
    )
    assert alike.ci95
    assert alike.ci95[1] - alike.ci95[0] > 1.5 * (one.ci95[1] - one.ci95[0])


def test_kappa_without_variation_or_users_has_no_value_or_no_interval() -> None:
    same = kappa_figure([Case(4, 4, "u"), Case(4, 4, "v")], 5, "quadratic", SETTINGS)
    assert (same.value, same.ci95, same.n) == (None, None, 2)
    assert same.reason == "judge and people say one and the same of everything"
    alone = kappa_figure([Case(4, 4, "u"), Case(3, 3, "u")], 5, "quadratic", SETTINGS)
    assert (alone.value, alone.ci95, alone.reason) == (1, None, "fewer than two users: nothing tells how sure it is")
    two = kappa_figure([Case(4, 4, "u"), Case(3, 3, "v")], 5, "quadratic", SETTINGS)
    assert (two.value, two.ci95) == (1, None)
    assert two.reason == "no interval: undefined in too many resamples"


def found(pairs: list[Any], rounds: list[Any]) -> dict[str, Figure]:
    each = judge_found(marks(pairs, rounds, {}), rounds, SETTINGS)
    assert [(one.question, one.weights) for one in each] == [
        ("covers", "none"),
        ("factuality", "quadratic"),
        ("relevance", "quadratic"),
        ("helpfulness", "quadratic"),
    ]
    return {one.question: one.kappa for one in each}


def test_coverage_is_compared_aspect_by_aspect_without_ties() -> None:
    ticks = [((1, 2), (3,)), ((1,), (3,))]  # of aspect 2 of chosen, one of two
    said = {f"r{n}": rubric(5, 2, covers=each) for n, each in enumerate(ticks)}
    pair = a_pair(aspects=3, judged_coverage=((2, 2, 1), (0, 0, 1)))
    figure = found([pair], [a_round("rubric", {"p": said})])["covers"]
    # Chosen: judge 1 (tie) 1 against people 1 (tie) 0; rejected: 0 0 1 against 0 0 1.
    assert figure.n == 5
    assert figure.value == pytest.approx(cohen_kappa_score([1, 1, 0, 0, 1], [1, 0, 0, 0, 1]))


def test_a_judge_of_one_answer_or_of_another_rubric_says_what_it_can() -> None:
    rounds = [a_round("rubric", {"p": {"r": rubric(5, 2)}, "q": {"r": rubric(5, 2)}})]
    pairs = [a_pair(judged_coverage=((2, 0), None)), a_pair("q", judged_coverage=((2, 2, 2), (0, 0)))]
    assert found(pairs, rounds)["covers"].n == 4


def test_marks_are_compared_with_the_median_of_people_a_half_rounded_up() -> None:
    said = {
        "p": {"r1": quality((4, 2), (4, 2), (4, 2)), "r2": quality((5, 3), (4, 2), (4, 2))},
        "q": {"r1": quality((1, 3), (1, 3), (1, 3))},
    }
    pairs = [
        a_pair("p", "u", judged_quality=((5, 4, 3), (3, 2, 2))),
        a_pair("q", "v", judged_quality=((2, 1, 1), None)),
    ]
    figures = found(pairs, [a_round("quality", said)])
    labels = range(1, 6)
    for question, judge, people in (
        ("factuality", [5, 3, 2], [5, 3, 1]),
        ("relevance", [4, 2, 1], [4, 2, 1]),
        ("helpfulness", [3, 2, 1], [4, 2, 1]),
    ):
        expected = cohen_kappa_score(judge, people, labels=labels, weights="quadratic")
        assert figures[question].value == pytest.approx(expected)
        assert figures[question].n == 3


def test_senior_raters_are_not_among_the_people() -> None:
    said = {"p": {"r": quality((4, 2), (4, 2), (4, 2))}}
    senior = {"p": {"s": quality((1, 1), (1, 1), (1, 1))}}
    pairs = [a_pair(judged_quality=((4, 4, 4), (2, 2, 2)))]
    assert found(pairs, [a_round("quality", said, senior=senior)])["relevance"].value == 1


def test_what_cannot_be_compared_says_why() -> None:
    said = {"p": {"r": quality((4, 2), (4, 2), (4, 2))}}
    judged = a_pair(judged_quality=((4, 4, 4), (2, 2, 2)), judged_coverage=((2, 2), (0, 0)))
    unjudged = found([a_pair()], [a_round("quality", said), a_round("rubric", {"p": {"r": rubric(5, 1)}})])
    assert {figure.reason for figure in unjudged.values()} == {"no judge scored these pairs"}
    unrated = found([judged], [])
    assert unrated["covers"].reason == "round rubric was not rated"
    assert unrated["relevance"].reason == "round quality was not rated"
    wide = found([judged], [a_round("quality", said, marks=(1, 2, 3, 4, 5, 6, 7))])
    assert (wide["relevance"].value, wide["relevance"].n) == (None, 0)
    assert wide["relevance"].reason == "raters mark relevance on another scale than the judge"


@pytest.mark.parametrize("scores", [(4, 4), (4, 0, 4), (6, 4, 4)])
def test_scores_of_a_judge_that_are_no_marks_are_refused(scores: tuple[int, ...]) -> None:
    rounds = [a_round("quality", {"p": {"r": quality((4, 2), (4, 2), (4, 2))}})]
    with pytest.raises(InputError, match="pair p: a judge's scores for quality are three marks from 1 to 5"):
        found([a_pair(judged_quality=(scores, None))], rounds)
