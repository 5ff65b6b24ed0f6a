from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.schema import Post, RubricAspect
from prbgen.sources.fields import FaultyRow
from prbgen.sources.pair_row import COLUMNS, Origin, PairRow, read_pair_row
from prbgen.sources.turns import Turns

PLAIN = {"chosen": "a", "rejected": "b"}
NAMES = ["role", "content", "id", "text", "chosen", "calls", "aspect"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)


def faults(row: Any) -> tuple[str, ...]:
    checked = read_pair_row(row)
    assert isinstance(checked, FaultyRow)
    return checked.faults


def test_the_least_row_has_two_answers_and_nothing_else() -> None:
    assert read_pair_row(PLAIN) == PairRow(
        None, None, Turns("", "a", "b"), None, None, None, None, None, None, None, None, Origin()
    )


def test_all_that_is_known_is_taken() -> None:
    row = {
        **PLAIN,
        "id": 7,
        "pair_id": "f00",
        "question": "Why\x00?",
        "profile": [{"category": None, "id": "p", "text": "\ud800"}],
        "rubric_aspects": [{"aspect": "Brief", "evidence": None, "reason": "Tired"}],
        "narrative": "I am tired.",
        "category": "sleep",
        "subset": "naps",
        "user_key": "u1",
        "strategy": "avoid",
        "generator": "openai/gpt-4o-mini",
        "provenance": {"subset": "Naps", "split": "dev", "calls": {"chosen": ["1", "2"], "rejected": ["3"]}, "x": 1},
        "checks": "not looked at",
    }
    assert read_pair_row(row) == PairRow(
        id="7",
        pair_id="f00",
        turns=Turns("Why\ufffd?", "a", "b"),
        profile=(Post(category=None, id="p", text="\ufffd"),),
        rubric_aspects=(RubricAspect(aspect="Brief", evidence=None, reason="Tired"),),
        narrative="I am tired.",
        category="sleep",
        subset="naps",
        user_key="u1",
        strategy="avoid",
        generator="openai/gpt-4o-mini",
        origin=Origin("Naps", "dev", (2, 1)),
    )


def test_an_empty_profile_or_rubric_is_not_an_unknown_one() -> None:
    row = read_pair_row({**PLAIN, "profile": [], "rubric_aspects": []})
    assert isinstance(row, PairRow)
    assert (row.profile, row.rubric_aspects) == ((), ())


def test_only_our_own_provenance_has_a_meaning() -> None:
    row = read_pair_row({**PLAIN, "provenance": "a crawl of the web"})
    assert isinstance(row, PairRow)
    assert row.origin == Origin()
    assert faults({**PLAIN, "pair_id": "f00", "provenance": 1}) == ("provenance: is a number, should be an object",)


@pytest.mark.parametrize("calls", [[], {"chosen": ["1"]}, {"chosen": ["1"], "rejected": 1}])
def test_calls_are_those_of_both_sides(calls: Any) -> None:
    expected = ("provenance.calls: should list those of chosen and of rejected",)
    assert faults({**PLAIN, "pair_id": "f00", "provenance": {"calls": calls}}) == expected


def test_a_row_that_is_no_pair_is_told_by_its_columns() -> None:
    assert faults([1]) == ("is a list, should be an object",)
    assert faults({"id": "1", "question": "Why?"}) == ("no chosen, no rejected; columns are: id, question",)
    assert faults({"chosen": "a", "x\n\ud800": 1}) == ("no rejected; columns are: chosen, x",)
    assert faults({}) == ("no chosen, no rejected; columns are: nothing",)
    many = read_pair_row({f"c{n}": n for n in range(30)}, unread=("d",))
    assert isinstance(many, FaultyRow)
    assert many.faults[0].endswith("c18, c19, and 11 more")


def test_all_that_is_mistyped_is_named() -> None:
    row = {**PLAIN, "id": True, "profile": "me", "category": ["a"], "user_key": 1.5, "rubric_aspects": [{}]}
    assert faults(row) == (
        "id: is true or false, should be text",
        "profile: is text, should be a list",
        "rubric_aspects[0].aspect: missing",
        "category: is a list, should be text",
        "user_key: is a number, should be text",
    )


@given(VALUES | st.dictionaries(st.sampled_from(sorted(COLUMNS)), VALUES), st.booleans())
def test_any_value_is_a_pair_or_refused_with_a_reason(value: Any, has_answers: bool) -> None:
    row = read_pair_row({**PLAIN, **value} if has_answers and isinstance(value, dict) else value)
    assert isinstance(row, PairRow) or row.faults
