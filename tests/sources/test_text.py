from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prbgen.sources.text import is_unicode, normalised, storable

WILD = st.text(st.characters() | st.sampled_from("\0\ud800\udc00\udfff"))


@given(WILD)
def test_what_is_stored_differs_only_where_it_must(text: str) -> None:
    stored, replaced = storable(text)
    assert "\0" not in stored
    assert is_unicode(stored)
    assert len(stored) == len(text)
    changed = [old for old, new in zip(text, stored, strict=True) if old != new]
    assert len(changed) == replaced
    assert all(old == "\0" or "\ud800" <= old <= "\udfff" for old in changed)


def test_case_white_space_and_compatibility_forms_do_not_count() -> None:
    assert normalised(" Straße\u00a0\n ﬁn  ①") == normalised("STRASSE fin 1") == "strasse fin 1"
