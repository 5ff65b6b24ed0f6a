import pytest

from prbgen.generation.check.base import Given
from prbgen.generation.check.words import check

GIVEN = Given("Which route?", 10)


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("word " * 10, 10),
        ("It's a well-known 1,000 km route - mind the gap, Jo.", 10),
        ("私は犬が好きです", 8),
        ("**Bold** _it_ #1", 3),
    ],
)
def test_an_answer_within_the_limit_passes(answer: str, count: int) -> None:
    finding = check(answer, GIVEN)
    assert (finding.outcome, finding.figure) == ("pass", count)


@pytest.mark.parametrize("answer", ["", " \n", "!!!", "\0"])
def test_an_answer_without_words_fails(answer: str) -> None:
    finding = check(answer, GIVEN)
    assert (finding.outcome, finding.figure, finding.detail) == ("fail", 0, "is empty")


@pytest.mark.parametrize(("answer", "count"), [("word " * 11, 11), ("私は犬が好きです。彼は猫", 11)])
def test_an_answer_over_the_limit_fails_with_both_figures(answer: str, count: int) -> None:
    finding = check(answer, GIVEN)
    assert (finding.outcome, finding.figure) == ("fail", count)
    assert finding.detail == f"has {count} words; it may have at most 10"
