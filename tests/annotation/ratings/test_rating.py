from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.ratings.rating import ratings_of
from prbgen.schema import Rating, Round
from tests.annotation.forms import campaign_of, form_of, item_of, response_of

ITEMS = [item_of("i1", chosen="B"), item_of("i2", kind="gold"), item_of("i3", kind="repeat", repeats="i1")]


def rated(round_: Round = "rubric", campaign: Campaign | None = None, **values: Any) -> list[Rating]:
    assert round_ in ("quality", "rubric")
    return ratings_of(campaign or campaign_of(round_), form_of(round_), ITEMS, [response_of("i1", **values)])


def test_a_rating_says_who_answered_what_about_which_answer() -> None:
    assert rated("quality", factuality_b=4) == [
        Rating(
            round="quality", pair_id="pair-i1", item="i1", kind="pair", rater="r1", senior=False, question="factuality",
            shown="B", label="chosen", value=4, submitted_at="2026-01-01T10:00:00.000000Z",
        )
    ]  # fmt: skip


def test_cant_tell_is_null_and_no_flag() -> None:
    (rating,) = rated("quality", factuality_a=0)
    assert (rating.value, rating.flag, rating.label) == (None, None, "rejected")


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("covers_a", ["none"], ()),
        ("covers_a", ["3", "1"], (1, 3)),
        ("adherence_b", 5, 5),
        ("better", "equal", "equal"),
        ("comment", "so-so", "so-so"),
        ("comment", "\ud800", "\ufffd"),
    ],
)
def test_values_have_the_type_of_their_question(name: str, raw: Any, value: object) -> None:
    (rating,) = rated(**{name: raw})
    assert rating.flag is None
    assert rating.value == value


@pytest.mark.parametrize(("value", "label"), [("A", "rejected"), ("B", "chosen"), ("equal", "equal")])
def test_the_label_of_a_choice_is_what_the_value_stands_for(value: str, label: str) -> None:
    (rating,) = rated(better=value)
    assert (rating.shown, rating.label) == (None, label)


def test_a_comment_has_no_label() -> None:
    assert [rating.label for rating in rated(comment="A")] == [None]


def test_gold_items_have_no_label() -> None:
    responses = [response_of("i2", adherence_a=1, better="A")]
    assert [each.label for each in ratings_of(campaign_of("rubric"), form_of("rubric"), ITEMS, responses)] == [
        None,
        None,
    ]


@pytest.mark.parametrize("raw", [None, "", "  ", []])
def test_what_is_not_answered_is_no_rating(raw: JsonValue) -> None:
    assert rated(comment=raw, covers_a=raw) == []


@pytest.mark.parametrize("status", ["draft", "discarded"])
def test_only_submitted_responses_are_ratings(status: str) -> None:
    assert ratings_of(campaign_of(), form_of(), ITEMS, [response_of("i1", status=status, factuality_a=3)]) == []


@pytest.mark.parametrize(
    ("name", "raw", "kept", "flag"),
    [
        ("covers_a", ["7"], (7,), "aspect 7 of 5"),
        ("covers_a", ["0"], (0,), "aspect 0 of 5"),
        ("covers_a", ["none", "3", "1"], (1, 3), '"none" together with aspects'),
        ("covers_a", ["one", "2"], (2,), "one is no aspect"),
        ("covers_a", ["one"], (), "one is no aspect"),
        ("covers_a", [2], (2,), "2 is no aspect"),
        ("covers_a", "2", (), "2 is no list of aspects"),
        ("adherence_a", 6, 6, "6 is none of 1, 2, 3, 4, 5"),
        ("adherence_a", 0, 0, "0 is none of 1, 2, 3, 4, 5"),
        ("adherence_a", True, "true", "true is no whole number"),
        ("adherence_a", 4.5, "4.5", "4.5 is no whole number"),
        ("adherence_a", "4", "4", "4 is no whole number"),
        ("better", "C", "C", "C is none of A, B, equal"),
        ("better", 1, 1, "1 is none of A, B, equal"),
        ("comment", 3, 3, "3 is no text"),
        ("comment", {"a": 1}, '{"a": 1}', '{"a": 1} is no text'),
        ("elegance_a", 3, 3, "not a question of this round"),
        ("elegance_a", ["red"], '["red"]', "not a question of this round"),
    ],
)
def test_an_impossible_answer_is_kept_and_flagged(name: str, raw: Any, kept: object, flag: str) -> None:
    (rating,) = rated(**{name: raw})
    assert (rating.value, type(rating.value), rating.flag) == (kept, type(kept), flag)


def test_a_better_answer_with_the_lower_mark_is_possible() -> None:
    assert [each.flag for each in rated(adherence_a=5, adherence_b=1, better="B")] == [None] * 3


def test_an_item_and_a_rater_from_elsewhere_are_flagged() -> None:
    responses = [response_of("i1", "guest", factuality_a=4), response_of("other", "guest", factuality_a=9)]
    by_guest, of_other = ratings_of(campaign_of(), form_of(), ITEMS, responses)
    assert (by_guest.value, by_guest.flag) == (4, "not by a rater of this round")
    assert (of_other.value, of_other.pair_id, of_other.kind) == (9, None, None)
    (unknown,) = ratings_of(campaign_of("rubric"), form_of("rubric"), [], [response_of("i1", covers_a=["none", "2"])])
    assert unknown.value == (2,)
    assert of_other.flag == "not an item of this round; not by a rater of this round"


def test_the_senior_rater_is_marked() -> None:
    assert [each.senior for each in rated("quality", campaign_of(senior=True), factuality_a=3)] == [True]


def test_ratings_come_by_item_rater_and_question_in_whatever_order_responses_came() -> None:
    responses = [
        response_of(item, rater, relevance_b=2, factuality_a=1) for item in ("i3", "i1") for rater in ("r2", "r1")
    ]
    found = ratings_of(campaign_of(), form_of(), ITEMS, responses)
    assert [(each.item, each.rater, each.question) for each in found] == [
        (item, rater, question)
        for item in ("i1", "i3")
        for rater in ("r1", "r2")
        for question in ("factuality", "relevance")
    ]
    assert found == ratings_of(campaign_of(), form_of(), ITEMS, responses[::-1])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from([each.name for each in form_of("rubric").asked]) | st.text(min_size=1)


@given(st.dictionaries(NAMES, JSON | st.lists(st.sampled_from(["1", "5", "6", "none", 1])), max_size=8))
def test_whatever_a_server_says_a_rating_is_within_the_scale_or_flagged(values: dict[str, JsonValue]) -> None:
    within: dict[str, Callable[[object], bool]] = {
        "covers": lambda value: isinstance(value, tuple) and all(1 <= each <= 5 for each in value),
        "adherence": lambda value: type(value) is int and 1 <= value <= 5,
        "better": lambda value: value in ("A", "B", "equal"),
        "comment": lambda value: isinstance(value, str),
    }
    response = response_of("i1").model_copy(update={"values": values})
    for rating in ratings_of(campaign_of("rubric"), form_of("rubric"), ITEMS, [response]):
        assert rating.flag or within[rating.question](rating.value)
        assert rating.question != "covers" or isinstance(rating.value, tuple)
        assert Rating.model_validate_json(rating.model_dump_json()) == rating
