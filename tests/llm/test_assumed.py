"""Replies as they may come: a stage must take them as if they had come."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prbgen.llm.assumed import prose, quote
from prbgen.text import count_words, find_quote


@given(st.integers(10, 3000))
def test_assumed_prose_is_as_long_as_allowed_and_another_one_for_each_side(words: int) -> None:
    assert count_words(prose(words)) == count_words(prose(words, skip=1)) == words
    assert prose(words) != prose(words, skip=1)


@given(st.text(max_size=300))
def test_an_assumed_quote_is_one_wherever_there_can_be_one(narrative: str) -> None:
    beginning = narrative.strip()[:100]
    found = find_quote(narrative, quote(narrative))
    # Quotation marks and spaces alone are no passage.
    assert (found is None) == (find_quote(narrative, beginning) is None)
    if any(letter.isalnum() for letter in beginning):
        assert found
