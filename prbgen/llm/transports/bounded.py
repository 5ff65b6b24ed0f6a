"""Limits for replies that follow a JSON schema: a small model that loops inside an open-ended string never ends it."""

from __future__ import annotations

from typing import Any

MAX_LENGTH = 200
MAX_ITEMS = 6

_ONE = ("items", "additionalProperties", "then", "else")
_LIST = ("prefixItems", "anyOf", "allOf", "oneOf")
_NAMED = ("properties", "patternProperties", "$defs", "definitions")


def bounded(schema: dict[str, Any], max_length: int = MAX_LENGTH, max_items: int = MAX_ITEMS) -> dict[str, Any]:
    """A copy of a JSON schema in which every string and every array has an upper bound.

    What has one keeps it, and the lower bounds of the schema win over `max_length` (characters) and `max_items`.
    Conditions (`if`, `not`, `contains`) stay as they are: narrowing them would widen the whole.
    """

    def inner(value: Any) -> Any:
        return bounded(value, max_length, max_items) if isinstance(value, dict) else value

    copy = dict(schema)
    for key in _ONE:
        if key in copy:
            copy[key] = inner(copy[key])
    for key in _LIST:
        if key in copy:
            copy[key] = [inner(each) for each in copy[key]]
    for key in _NAMED:
        if key in copy:
            copy[key] = {name: inner(each) for name, each in copy[key].items()}
    if _allows(copy, "string") and not copy.keys() & {"maxLength", "enum", "const"}:
        copy["maxLength"] = max(max_length, copy.get("minLength", 0))
    if _allows(copy, "array") and "maxItems" not in copy:
        copy["maxItems"] = max(max_items, copy.get("minItems", 0), len(copy.get("prefixItems", ())))
    return copy


def _allows(schema: dict[str, Any], kind: str) -> bool:
    types = schema.get("type")
    return kind == types or (isinstance(types, list) and kind in types)
