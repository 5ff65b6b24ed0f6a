from __future__ import annotations

from prbgen.schema import Rating
from prbgen.validation.agreement.units import answered
from tests.validation.agreement.rated import BETTER, COVERS, MARKS, pair, pairs_by_id, rating

PAIRS = pairs_by_id(pair("p", "someone", aspects=3), pair("q", "someone", aspects=2), pair("r", "else", aspects=1))


def test_a_mark_is_of_an_answer_as_shown() -> None:
    given = [
        rating("second", "p", "helpfulness", 5, "B"),
        rating("first", "p", "helpfulness", 1, "A"),
        rating("first", "p", "helpfulness", 4, "B"),
        rating("second", "r", "helpfulness", 2, "A"),
    ]
    answers = answered(MARKS, given, PAIRS)
    assert answers.unit.tolist() == [0, 1, 1, 2]
    assert answers.rater.tolist() == [0, 0, 1, 1]
    assert answers.value.tolist() == [0, 3, 4, 1]
    assert answers.user.tolist() == [1, 1, 0]
    assert (answers.categories, answers.ordinal, answers.given) == (5, True, 4)
    assert (answers.raters, answers.users) == (2, 2)
    assert answers.counts.tolist() == [[1, 0, 0, 0, 0], [0, 0, 0, 1, 1], [0, 1, 0, 0, 0]]


def test_a_choice_is_of_an_item_and_says_where_the_answer_stood() -> None:
    given = [rating("first", "p", "better", "B"), rating("second", "p", "better", "equal")]
    answers = answered(BETTER, given, PAIRS)
    assert answers.unit.tolist() == [0, 0]
    assert answers.value.tolist() == [1, 2]
    assert (answers.categories, answers.ordinal) == (3, False)


def test_each_aspect_of_each_answer_is_ticked_or_not() -> None:
    given: list[Rating] = [
        rating("first", "p", "covers", (1, 3), "A"),
        rating("second", "p", "covers", (), "A"),
        rating("first", "q", "covers", (2,), "A"),
        rating("first", "p", "covers", (2,), "B"),
    ]
    answers = answered(COVERS, given, PAIRS)
    assert answers.unit.tolist() == [0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7]
    assert answers.value.tolist() == [1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1]
    assert answers.rater.tolist() == [0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    assert answers.user.tolist() == [0] * 8
    assert (answers.categories, answers.given) == (2, 4)


def test_cannot_tell_is_no_answer() -> None:
    given = [rating("first", "p", "helpfulness", None, "A"), rating("second", "p", "helpfulness", 3, "A")]
    answers = answered(MARKS, given, PAIRS)
    assert (answers.raters, answers.given, answers.unit.tolist()) == (1, 1, [0])


def test_no_answers_make_no_units() -> None:
    answers = answered(MARKS, [], PAIRS)
    assert (answers.raters, answers.users, answers.given) == (0, 0, 0)
    assert answers.counts.shape == (0, 5)
