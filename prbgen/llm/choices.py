"""Several replies to one call as the one text that is on record: a JSON list of their texts and how they ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pydantic import TypeAdapter, ValidationError

from prbgen.errors import InputError
from prbgen.llm.model import Choice

_CHOICES = TypeAdapter(tuple[Choice | None, ...])


def padded(choices: Iterable[Choice], n: int) -> tuple[Choice | None, ...]:
    """The first n of them, with null in the place of each that is missing."""
    several = tuple(choices)[:n]
    return several + (None,) * (n - len(several))


def as_reply(choices: Sequence[Choice | None]) -> str:
    """The text for the ledger."""
    return json.dumps([each and {"text": each.text, "finish": each.finish} for each in choices], ensure_ascii=False)


def choices_of(reply: str) -> tuple[Choice | None, ...]:
    """The choices that a text from the ledger holds; there is at least one entry.

    Raises:
        InputError: it is no such text.
    """
    try:
        choices = _CHOICES.validate_json(reply)
    except ValidationError:
        choices = ()
    if not choices:
        raise InputError("the ledger is damaged: a call for several replies has something else; move it away")
    return choices
