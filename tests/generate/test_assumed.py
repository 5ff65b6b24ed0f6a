"""Replies as they may come: a stage must take them as if they had come."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prbgen.generate.assumed import prose, quote
from prbgen.generate.check import first_problem
from prbgen.recipe import PairSettings
from prbgen.text import count_words, find_quote


@given(st.integers(10, 3000))
def test_assumed_prose_is_as_long_as_allowed_and_passes_all_checks(words: int) -> None:
    assert count_words(prose(words)) == words
    assert first_problem(prose(words), "Which film?", PairSettings(words=words)) is None


@given(st.text(max_size=300))
def test_an_assumed_quote_is_one_wherever_there_can_be_one(narrative: str) -> None:
    beginning = narrative.strip()[:100]
    found = find_quote(narrative, quote(narrative))
    # Quotation marks and spaces alone are no passage.
    assert (found is None) == (find_quote(narrative, beginning) is None)
    if any(letter.isalnum() for letter in beginning):
        assert found
