"""Several replies to one call: kept as one text, cleaned one by one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.llm.choices import as_reply, choices_of, padded
from prbgen.llm.cleaning import cleaned
from prbgen.llm.model import Choice, Completion

CHOICES = st.builds(Choice, st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["stop", "length"]))


@given(st.lists(st.none() | CHOICES, min_size=1))
def test_what_is_kept_is_what_came(choices: list[Choice | None]) -> None:
    assert choices_of(as_reply(choices)) == tuple(choices)


@given(st.lists(CHOICES, max_size=6), st.integers(1, 6))
def test_a_surplus_is_dropped_and_what_is_missing_is_null_at_the_end(choices: list[Choice], n: int) -> None:
    several = padded(choices, n)
    assert len(several) == n
    assert [each for each in several if each] == choices[:n]
    assert None not in several[: len(choices)]


@pytest.mark.parametrize("text", ["", "[]", "Green tea.", "{}", '[{"text": "a"}]', '[{"text": "a", "finish": "?"}]'])
def test_anything_else_on_record_is_a_damaged_ledger(text: str) -> None:
    with pytest.raises(InputError, match="damaged"):
        choices_of(text)


def test_each_choice_is_cleaned_and_the_whole_stays_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = 'sk-"quoted"\\and-long'
    monkeypatch.setenv("SOME_API_KEY", secret)
    choices = (Choice(f"key {secret}", "stop"), Choice("nul \0 and \ud800", "length"), None)
    kept = cleaned(Completion("", "stop", choices=choices))
    expected = (Choice("key [redacted]", "stop"), Choice("nul \ufffd and \ufffd", "length"), None)
    assert kept.choices == expected
    assert choices_of(kept.text) == expected
    assert json.loads(kept.text)[2] is None
