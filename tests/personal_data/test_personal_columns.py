from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prbgen.personal_data.columns import COLUMNS, KINDS, PersonalColumns
from prbgen.schema import Post, PreferencePair, RubricAspect

PLANTED = {
    "e-mail": "Write to jane.doe@gmail.com please.",
    "phone": "My number is 212-664-7665, ask for Jane.",
    "address": "I live at 22 Elm Street.",
}


def row(**columns: str) -> PreferencePair:
    """A pair whose columns hold these texts, and harmless ones elsewhere."""
    fine = "Nothing here."
    texts = dict.fromkeys(COLUMNS, fine) | columns
    aspect = RubricAspect(aspect=fine, evidence=texts["rubric_aspects"], reason=None)
    values: dict[str, Any] = {column: texts[column] for column in ("question", "chosen", "rejected", "narrative")}
    return PreferencePair(
        id="1",
        pair_id=None,
        profile=(Post(category=None, id="p0", text=fine), Post(category=None, id="p1", text=texts["profile"])),
        rubric_aspects=(aspect,),
        category=None,
        subset="",
        split="test",
        user_key="u",
        **values,
    )


@given(st.dictionaries(st.sampled_from(COLUMNS), st.sampled_from(KINDS)))
def test_each_column_is_named_with_what_stands_there(planted: dict[str, str]) -> None:
    pair = row(**{column: PLANTED[kind] for column, kind in planted.items()})
    columns = PersonalColumns()
    expected = [(column, planted[column]) for column in COLUMNS if column in planted]
    assert list(columns.of(pair)) == expected
    assert list(columns.of(pair)) == expected


def test_a_row_may_lack_what_only_some_datasets_have() -> None:
    bare = row().model_copy(update={"profile": None, "rubric_aspects": None, "narrative": None})
    assert list(PersonalColumns().of(bare)) == []
