"""What one answer of a rater says, and why it cannot be what it says."""

from __future__ import annotations

import json
from typing import TypeAlias

from pydantic import JsonValue

from prbgen.annotation.form.asked import NONE, Asked
from prbgen.text import one_line, storable

Value: TypeAlias = int | str | tuple[int, ...] | None


def answered(raw: JsonValue) -> bool:
    """Whether anything was answered at all: a null, an empty list and a blank text say nothing."""
    return bool(raw.strip()) if isinstance(raw, str) else raw is not None and raw != []


def read(asked: Asked, aspects: int, raw: JsonValue) -> tuple[Value, str | None]:
    """The value of an answer, and its flag (null: it can be what it says).

    `aspects` is how many the item has. "Can't tell" is null, "none" among aspects is (), a flagged answer is kept as
    far as a value can hold it: of aspects the numbers that were ticked.
    """
    flag = _FLAGS[asked.kind](asked, aspects, raw)
    if asked.kind == "aspects":
        return _ticked(raw), flag
    if flag is not None:
        return kept(raw), flag
    if asked.kind == "rating":
        return (None if raw == asked.unknown else kept(raw)), None
    return kept(raw), None


def scale(asked: Asked) -> tuple[int, ...]:
    """What may be answered to a "rating" question, "can't tell" included."""
    marks = {int(value) for value, _ in asked.options}
    return tuple(sorted(marks if asked.unknown is None else marks | {asked.unknown}))


def kept(raw: JsonValue) -> Value:
    """An answer as it came, as far as a value can hold it ("none" beside numbers is left out): else its JSON."""
    if isinstance(raw, str):
        return storable(raw)
    if isinstance(raw, int) and not isinstance(raw, bool):
        return raw
    if isinstance(raw, list) and all(each == NONE or _number(each) is not None for each in raw):
        return _ticked(raw)
    return storable(json.dumps(raw, ensure_ascii=False))


def _ticked(raw: JsonValue) -> tuple[int, ...]:
    numbers = map(_number, raw) if isinstance(raw, list) else ()
    return tuple(sorted({number for number in numbers if number is not None}))


def _number(raw: JsonValue) -> int | None:
    if isinstance(raw, str):
        return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else None
    return raw if isinstance(raw, int) and not isinstance(raw, bool) else None


def _shown(raw: JsonValue) -> str:
    return one_line(storable(raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)), 40)


def _rating_flag(asked: Asked, _: int, raw: JsonValue) -> str | None:
    if isinstance(raw, bool) or not isinstance(raw, int):
        return f"{_shown(raw)} is no whole number"
    marks = scale(asked)
    return None if raw in marks else f"{raw} is none of {', '.join(map(str, marks))}"


def _aspects_flag(_: Asked, aspects: int, raw: JsonValue) -> str | None:
    if not isinstance(raw, list):
        return f"{_shown(raw)} is no list of aspects"
    for each in raw:
        if each == NONE:
            continue
        if not isinstance(each, str) or (number := _number(each)) is None:
            return f"{_shown(each)} is no aspect"
        if not 1 <= number <= aspects:
            return f"aspect {number} of {aspects}"
    return f'"{NONE}" together with aspects' if NONE in raw and len(raw) > 1 else None


def _choice_flag(asked: Asked, _: int, raw: JsonValue) -> str | None:
    values = [value for value, _ in asked.options]
    return None if raw in values else f"{_shown(raw)} is none of {', '.join(values)}"


def _text_flag(_: Asked, __: int, raw: JsonValue) -> str | None:
    return None if isinstance(raw, str) else f"{_shown(raw)} is no text"


_FLAGS = {"rating": _rating_flag, "aspects": _aspects_flag, "choice": _choice_flag, "text": _text_flag}
