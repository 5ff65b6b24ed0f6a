from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.schema import Post, RubricAspect
from prbgen.sources.fields import FaultyRow
from prbgen.sources.lamp_qa import FIELDS, LampQaRow, check_row
from tests.sources.lamp_rows import post, row, without

WILD_TEXT = st.text(st.characters() | st.sampled_from("\0\ud800\udfff\u202e😀"))
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WILD_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(WILD_TEXT, inner),
    max_leaves=15,
)
NEAR_ROWS = st.fixed_dictionaries(
    {},
    optional={
        name: ANY_JSON | st.lists(st.dictionaries(st.sampled_from(["id", "text", "category", "aspect"]), ANY_JSON))
        for name in sorted(FIELDS)
    },
)


def good(value: object) -> LampQaRow:
    checked = check_row(value)
    assert isinstance(checked, LampQaRow), checked
    return checked


def faults(value: object) -> tuple[str, ...]:
    checked = check_row(value)
    assert isinstance(checked, FaultyRow), checked
    return checked.faults


def test_a_row_in_order_keeps_every_field() -> None:
    checked = good(row("0_1_0"))
    assert checked.id == "0_1_0"
    assert checked.profile[1] == Post(category="cooking", id="0_1_0_1", text="Is rye harder than wheat?")
    assert checked.rubric_aspects == (
        RubricAspect(aspect="No yeast", evidence="I have no yeast", reason="It is sold out"),
    )
    assert checked.category == "Lifestyle & Personal Development"
    assert checked.replaced == 0


@given(ANY_JSON | NEAR_ROWS)
def test_any_value_is_a_row_or_a_list_of_faults(value: object) -> None:
    checked = check_row(value)
    if isinstance(checked, FaultyRow):
        assert checked.faults
        assert all(fault.encode() for fault in checked.faults)
    else:
        assert checked.id.strip()
        assert checked.question.strip()
        assert all(each.text.encode() is not None for each in checked.profile)


@pytest.mark.parametrize("value", [None, [], "", "\n "])
def test_no_rubric_no_narrative_and_no_category_are_null(value: object) -> None:
    names = ("narrative", "category") if isinstance(value, str) else ("rubric_aspects",)
    changes = dict.fromkeys(names, value) if value is not None else dict.fromkeys((*names, "narrative", "category"))
    checked = good(row("1", **changes))
    assert [getattr(checked, name) for name in changes] == [None] * len(changes)


def test_only_a_profile_is_needed_beside_id_and_question() -> None:
    checked = good({"id": "1", "question": "Why?", "profile": []})
    assert (checked.profile, checked.rubric_aspects, checked.narrative, checked.category) == ((), None, None, None)


def test_columns_of_the_released_data_and_others_do_not_matter() -> None:
    assert good(row("1", chosen="yes", rejected=3, profile=[{**post("p"), "score": 1}])) == good(
        row("1", profile=[post("p")])
    )


def test_posts_need_no_category() -> None:
    checked = good(row("1", profile=[without(post("a"), "category"), post("b", category=None), post("c", category="")]))
    assert [each.category for each in checked.profile] == [None, None, None]


def test_a_profile_of_1500_posts_is_kept_whole() -> None:
    checked = good(row("1", profile=[post(str(number)) for number in range(1500)]))
    assert [each.id for each in checked.profile] == [str(number) for number in range(1500)]


def test_text_is_kept_as_it_is_but_for_what_cannot_be_stored() -> None:
    text = "שלום \u202eabc\u202c 👩‍👩‍👧 ﬁ e\u0301 \u00a0 \ufeff \u2028"
    checked = good(row("1", narrative=text, question="a\0b\ud800c\udfff", profile=[post("p\0", text=text)]))
    assert checked.narrative == checked.profile[0].text == text
    assert checked.question == "a\ufffdb\ufffdc\ufffd"
    assert checked.profile[0].id == "p\ufffd"
    assert checked.replaced == 4


def test_every_fault_is_named_with_its_place() -> None:
    value = {
        "question": 7,
        "profile": [post("a"), without(post("b"), "text"), "c", {"id": None, "text": ["d"], "category": True}],
        "rubric_aspects": [{"aspect": " ", "evidence": 1.5}, {"reason": {}}],
        "narrative": [],
    }
    assert faults(value) == (
        "id: missing",
        "question: is a number, should be text",
        "profile[1].text: missing",
        "profile[2]: is text, should be an object",
        "profile[3].category: is true or false, should be text",
        "profile[3].id: is null, should be text",
        "profile[3].text: is a list, should be text",
        "rubric_aspects[0].aspect: empty",
        "rubric_aspects[0].evidence: is a number, should be text",
        "rubric_aspects[1].aspect: missing",
        "rubric_aspects[1].reason: is an object, should be text",
        "narrative: is a list, should be text",
    )


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"question": " \n"}, "question: empty"),
        ({"id": ""}, "id: empty"),
        ({"profile": None}, "profile: is null, should be a list"),
        ({"profile": {"id": []}}, "profile: is an object, should be a list"),
        ({"rubric_aspects": "aspects"}, "rubric_aspects: is text, should be a list"),
        ({"narrative": b"bytes"}, "narrative: is of type bytes, should be text"),
    ],
)
def test_a_fault_is_one_line(change: dict[str, Any], fault: str) -> None:
    assert faults(row("1", **change)) == (fault,)


def test_a_faulty_row_keeps_the_id_if_that_can_be_read() -> None:
    assert check_row(row("1", question=None)) == FaultyRow(("question: is null, should be text",), id="1")
    assert check_row(row("1", id=1)) == FaultyRow(("id: is a number, should be text",))
    assert check_row(["row"]) == FaultyRow(("is a list, should be an object",))
