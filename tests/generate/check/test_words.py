import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generate.check import ANSWER_CHECKS, first_problem
from prbgen.generate.check.words import check
from prbgen.recipe import PairSettings

LIMIT = PairSettings(words=10)


@pytest.mark.parametrize(
    "answer",
    ["", "word " * 10, "It's a well-known 1,000 km route - mind the gap, Jo.", "私は犬が好きです", "**Bold** _it_ #1"],
)
def test_an_answer_within_the_limit_passes(answer: str) -> None:
    assert check(answer, "", LIMIT) is None


@pytest.mark.parametrize(("answer", "count"), [("word " * 11, 11), ("私は犬が好きです。彼は猫", 11)])
def test_an_answer_over_the_limit_fails_with_both_figures(answer: str, count: int) -> None:
    problem = check(answer, "", LIMIT)
    assert problem is not None
    assert (problem.kind, problem.facts) == ("words", {"words": count, "limit": 10})


def test_the_first_of_several_problems_is_re_asked_for() -> None:
    talks = "the rubric says " * 10
    assert first_problem(talks, "", LIMIT) == check(talks, "", LIMIT)
    within = first_problem("the rubric says", "", LIMIT)
    assert within is not None
    assert within.kind == "talk"
    assert first_problem("a tart", "", LIMIT) is None


@given(st.text(), st.text())
def test_no_check_raises_on_any_text(answer: str, question: str) -> None:
    for each in ANSWER_CHECKS.values():
        each(answer, question, LIMIT)
