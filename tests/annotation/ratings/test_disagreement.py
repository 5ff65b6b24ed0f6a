from typing import Any

import pytest

from prbgen.annotation.items import Item
from prbgen.annotation.ratings.disagreement import disagreed
from prbgen.annotation.ratings.rating import ratings_of
from prbgen.schema import Rating, Round
from tests.annotation.forms import campaign_of, form_of, item_of, response_of

ITEM = item_of("i1")


def given_by_each(round_: Round, answers: dict[str, list[Any]], item: Item = ITEM) -> list[Rating]:
    raters = campaign_of(raters=tuple(f"r{n}" for n in range(9))).raters
    responses = [
        response_of(item.id, rater, **{name: values[n] for name, values in answers.items() if n < len(values)})
        for n, rater in enumerate(raters)
    ]
    return ratings_of(campaign_of(round_, raters=raters), form_of(round_), [item], responses)


def reasons(round_: Round, ratings: list[Rating], item: Item = ITEM, **settings: Any) -> list[tuple[str, ...]]:
    found = disagreed(campaign_of(round_, **settings), form_of(round_), [item], ratings)
    assert all(each.item == item for each in found)
    return [each.reasons for each in found]


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([1, 4], ["factuality of A: 1 and 4"]),
        ([3, 1, 2], ["factuality of A: 1, 2 and 3"]),
        ([3, 4], []),
        ([1], []),
        ([5, 0], []),
    ],
)
def test_marks_that_are_two_or_more_apart_disagree(marks: list[int], expected: list[str]) -> None:
    ratings = given_by_each("quality", {"factuality_a": marks})
    assert reasons("quality", ratings) == ([tuple(expected)] if expected else [])


def test_how_far_apart_is_a_setting() -> None:
    ratings = given_by_each("quality", {"factuality_a": [1, 3], "relevance_b": [3, 4]})
    assert reasons("quality", ratings, disagreement=3) == []
    assert reasons("quality", ratings, disagreement=1) == [("factuality of A: 1 and 3", "relevance of B: 3 and 4")]


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        (["A", "A", "B"], None),
        (["A", "B"], "better: A and B"),
        (["equal", "B", "A"], "better: A, B and equal"),
        (["A", "A", "B", "B"], "better: A, A, B and B"),
        (["B"], None),
    ],
)
def test_choices_without_a_majority_disagree(choices: list[str], expected: str | None) -> None:
    assert reasons("blind", given_by_each("blind", {"better": choices})) == ([(expected,)] if expected else [])


def test_aspects_and_comments_do_not_disagree() -> None:
    ratings = given_by_each("rubric", {"covers_a": [["1"], ["none"]], "comment": ["x", "y"]})
    assert reasons("rubric", ratings) == []


@pytest.mark.parametrize("change", [{"gone": "replaced"}, {"flag": "odd"}, {"senior": True}, {"value": None}])
def test_only_what_raters_say_now_counts(change: dict[str, Any]) -> None:
    first, *rest = given_by_each("quality", {"factuality_a": [1, 5]})
    assert reasons("quality", [first.model_copy(update=change), *rest]) == []


@pytest.mark.parametrize("kind", ["gold", "repeat"])
def test_only_pairs_are_for_a_senior(kind: Any) -> None:
    item = item_of("i1", kind=kind)
    assert reasons("quality", given_by_each("quality", {"factuality_a": [1, 5]}, item), item) == []


def test_nothing_is_asked_about_a_withdrawn_item() -> None:
    ratings = given_by_each("quality", {"factuality_a": [1, 5]})
    assert reasons("quality", ratings) != []
    assert reasons("quality", ratings, ITEM.model_copy(update={"withdrawn": True})) == []
