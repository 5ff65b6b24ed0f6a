import pytest

from prbgen.generation.check.base import Given
from prbgen.generation.check.copies import check
from prbgen.recipe import CheckSettings

GIVEN = Given("Which cake?", 100)


def test_the_share_is_that_of_common_pairs_of_words_among_all() -> None:
    # Pairs: ab bc cd, and ab bx xc cd; two are common.
    finding = check("a b c d", "A, b; x c d!", GIVEN)
    assert (finding.outcome, finding.figure) == ("pass", round(4 / 7, 4))


def test_a_pair_counts_as_often_as_both_have_it() -> None:
    # ab ba ab, and ab.
    assert check("a b a b", "a b", GIVEN).figure == 0.5


def test_words_in_another_spelling_are_the_same() -> None:
    finding = check("DON'T bake the cafe\u0301 cake", "don’t bake: the café “cake”", GIVEN)
    assert (finding.outcome, finding.figure) == ("fail", 1)
    assert finding.detail == "shares 100% of its word pairs with the other one; it must be below 60%"


def test_chinese_is_compared_by_characters() -> None:
    assert check("今天喝绿茶最好", "今天喝红茶最好", GIVEN).figure == round(8 / 12, 4)


@pytest.mark.parametrize(
    ("one", "other", "outcome"), [("Yes.", "yes", "fail"), ("Yes.", "No.", "pass"), ("Tea.", "Tea, please.", "pass")]
)
def test_single_words_are_copies_if_they_are_equal(one: str, other: str, outcome: str) -> None:
    assert check(one, other, GIVEN).outcome == outcome


def test_the_limit_is_that_of_the_recipe_and_reaching_it_fails() -> None:
    assert check("a b a b", "a b", Given("", 9, settings=CheckSettings(near_copy=0.5))).outcome == "fail"
    assert check("a b a b", "a b", Given("", 9, settings=CheckSettings(near_copy=0.51))).outcome == "pass"
