"""A set of rated pairs in figures."""

from __future__ import annotations

import numpy as np
import pytest

from prbgen.recipe import ValidationSettings
from prbgen.validation.marks import PairMarks, marks
from prbgen.validation.portrait import portrait
from tests.validation.marked import a_pair, a_round, marked, quality, rubric

SETTINGS = ValidationSettings()
ROUNDS = [a_round("quality", {}), a_round("rubric", {})]


def test_the_figures_of_four_pairs() -> None:
    pairs = [
        marked("a", "u", 4.0, 4.5),
        marked("b", "u", 5.0, 4.0, (2, 1, 0)),
        marked("c", "v", 4.0, 4.0, (1, 1, 1)),
        marked("d", "w", 4.5, 4.0, (0, 2, 1)),
    ]
    found = portrait(pairs, ROUNDS, SETTINGS)
    assert (found.pairs, found.users) == (4, 3)
    assert found.quality_chosen.value == pytest.approx(4.375)
    assert found.quality_rejected.value == pytest.approx(4.125)
    assert found.quality_gap.value == pytest.approx(0.25)
    assert [each.value for each in found.questions.values()] == pytest.approx([0.25] * 3)
    assert found.balance.value == pytest.approx((2 - 1) / 4)
    assert found.direction.value == 0.5
    assert (found.adherence_chosen.value, found.adherence_rejected.value, found.adherence_gap.value) == (5, 2, 3)
    assert found.coverage_chosen.value == pytest.approx(0.9)
    assert found.coverage_rejected.value == pytest.approx(0.1)
    assert found.words_gap.value == 10
    assert found.equivalence.users == 3
    assert {found.quality_gap.n, found.balance.n, found.direction.n, found.words_gap.n} == {4}


def test_qualities_that_differ_by_rounding_alone_are_equal() -> None:
    pairs = [marked("a", "u", 0.1 + 0.2, 0.3), marked("b", "v", 0.3, 0.1 + 0.2)]
    assert portrait(pairs, ROUNDS, SETTINGS).balance.value == 0


def test_each_figure_is_over_the_pairs_that_have_it() -> None:
    rounds = [
        a_round("quality", {"a": {"r": quality((4, 3), (None, 3), (4, 3))}, "b": {}}),
        a_round("rubric", {"b": {"r": rubric(4, 2, None, covers=None)}, "c": {"r": rubric(4, 2)}}),
    ]
    pairs = marks([a_pair(name, name) for name in "abcd"], rounds, {})
    found = portrait(pairs, rounds, SETTINGS)
    assert (found.pairs, found.users) == (4, 4)
    assert found.quality_gap.n == 1
    assert {name: figure.n for name, figure in found.questions.items()} == {
        "factuality": 1,
        "relevance": 0,
        "helpfulness": 1,
    }
    assert found.questions["relevance"].reason == "no rating of these pairs counts in round quality"
    assert (found.adherence_gap.n, found.coverage_chosen.n, found.direction.n) == (2, 1, 1)
    assert found.words_gap.n == 4


def test_senior_raters_do_not_tilt_a_portrait() -> None:
    said = {"p": {"r1": quality((3, 4), (3, 4), (3, 4))}, "q": {"r1": quality((4, 4), (4, 4), (4, 4))}}
    fits = {"p": {"r1": rubric(2, 2, "equal")}, "q": {"r1": rubric(5, 2)}}
    senior = {"p": {"s": quality((5, 5), (5, 5), (5, 5))}}
    pairs = [a_pair("p", "u"), a_pair("q", "v")]
    without = [a_round("quality", said), a_round("rubric", fits)]
    adjudicated = [a_round("quality", said, senior=senior), a_round("rubric", fits, senior={"p": {"s": rubric(5, 1)}})]
    assert portrait(marks(pairs, adjudicated, {}), adjudicated, SETTINGS) == portrait(
        marks(pairs, without, {}), without, SETTINGS
    )


def test_no_pairs_have_no_figures_but_reasons() -> None:
    found = portrait([], ROUNDS, SETTINGS)
    assert (found.pairs, found.users, found.equivalence.equivalent) == (0, 0, None)
    figures = (found.quality_gap, found.balance, found.direction, found.coverage_chosen, found.words_gap)
    assert {(each.value, each.n, each.reason) for each in figures} == {(None, 0, "there are no such pairs")}


def test_rounds_that_were_not_rated_have_no_figures_but_reasons() -> None:
    found = portrait(marks([a_pair()], [], {}), [], SETTINGS)
    assert found.quality_gap.reason == found.balance.reason == "round quality was not rated"
    assert found.direction.reason == found.coverage_chosen.reason == "round rubric was not rated"
    assert found.words_gap.value == 10


def test_questions_that_were_not_asked_are_null_with_the_reason() -> None:
    rounds = [
        a_round("quality", {"p": {"r": {"relevance": (4, 4)}}}, asks=["relevance"]),
        a_round("rubric", {"p": {"r": {"better": "chosen"}}}, asks=["better"]),
    ]
    found = portrait(marks([a_pair()], rounds, {}), rounds, SETTINGS)
    assert found.quality_gap.value == 0
    rounds[0] = a_round("quality", {"p": {}}, asks=["style"])
    unasked = portrait(marks([a_pair()], rounds, {}), rounds, SETTINGS)
    assert unasked.balance.reason == "round quality does not ask factuality or relevance or helpfulness"
    assert found.questions["factuality"].reason == "round quality does not ask factuality"
    assert found.adherence_gap.reason == "round rubric does not ask adherence"
    assert found.coverage_rejected.reason == "round rubric does not ask covers"
    assert found.direction.value == 1


def test_a_constant_edge_that_lets_a_scorer_reach_69_percent_is_not_equal() -> None:
    """An edge of 0.4 marks at a standard deviation of 0.8, in one pair for each of 173 users."""
    random = np.random.default_rng(3)
    gaps = random.normal(0.4, 0.8, 173)
    assert np.mean(gaps > 0) == pytest.approx(0.69, abs=0.05)
    pairs: list[PairMarks] = [marked(str(n), str(n), 4 + gap, 4) for n, gap in enumerate(gaps)]
    found = portrait(pairs, ROUNDS, SETTINGS)
    assert found.equivalence.equivalent is False
    assert found.balance.value is not None
    assert found.balance.value > SETTINGS.balance
    assert portrait(pairs, ROUNDS, ValidationSettings(margin=0.6)).equivalence.equivalent is True
