import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generation.check.base import Given
from prbgen.generation.check.length import check
from prbgen.recipe import CheckSettings

GIVEN = Given("Which tea?", 100)


@pytest.mark.parametrize(
    ("one", "other", "outcome", "figure"),
    [(40, 50, "pass", 1.25), (50, 40, "pass", 1.25), (40, 51, "fail", 1.275), (30, 60, "fail", 2), (7, 7, "pass", 1)],
)
def test_the_longer_answer_may_have_a_quarter_more_words(one: int, other: int, outcome: str, figure: float) -> None:
    finding = check("tea " * one, "mint " * other, GIVEN)
    assert (finding.outcome, finding.figure) == (outcome, figure)


def test_both_lengths_are_named_and_not_whose_they_are() -> None:
    finding = check("tea " * 60, "mint " * 30, GIVEN)
    assert finding.detail is not None
    assert "30 and 60 words" in finding.detail
    assert "at most 1.25 times" in finding.detail


@pytest.mark.parametrize(("one", "other"), [("", "tea"), ("tea", " \n"), ("", "")])
def test_an_empty_side_fails_without_a_figure(one: str, other: str) -> None:
    finding = check(one, other, GIVEN)
    assert (finding.outcome, finding.figure) == ("fail", None)


@given(st.integers(1, 500), st.integers(1, 500), st.sampled_from([1.0, 1.1, 1.25, 2.0]))
def test_the_rounded_figure_never_contradicts_the_outcome(one: int, other: int, limit: float) -> None:
    finding = check("a " * one, "a " * other, Given("Which?", 100, settings=CheckSettings(length_ratio=limit)))
    assert finding.figure is not None
    assert (finding.outcome == "pass") == (finding.figure <= limit)
