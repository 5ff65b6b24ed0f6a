"""Hashes over texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prbgen.digest import text_hash

TEXTS = st.lists(st.text(alphabet=st.characters(exclude_categories=()), max_size=5), max_size=4)


@given(TEXTS, TEXTS)
def test_texts_have_one_hash_if_they_are_the_same_and_cut_in_the_same_places(one: list[str], other: list[str]) -> None:
    assert (text_hash(*one) == text_hash(*other)) == (one == other)
    assert len(text_hash(*one)) == 32


def test_texts_do_not_run_together() -> None:
    assert len({text_hash("ab", "c"), text_hash("a", "bc"), text_hash("abc"), text_hash("abc", "")}) == 4
