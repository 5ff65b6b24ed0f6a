"""Limits for replies that follow a JSON schema: a small model that loops inside an open-ended string never ends it."""

from __future__ import annotations

import json
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


def numbered(schema: dict[str, Any], assumed: str) -> dict[str, Any]:
    """A copy of a JSON schema in which lists whose entries have a `number` have as many of them, in order and with the
    same numbers, as the list of that name in a reply as it may come (JSON): a small model does not count.
    """
    try:
        reply = json.loads(assumed)
    except ValueError:
        return schema
    copy = dict(schema, properties=dict(schema.get("properties", {})))
    for name, value in copy["properties"].items():
        entry = _resolved(value.get("items", {}), schema)
        entries = reply.get(name) if isinstance(reply, dict) else None
        if "number" in entry.get("properties", {}) and isinstance(entries, list):
            exact = [
                dict(entry, properties={**entry["properties"], "number": {"const": each["number"]}}) for each in entries
            ]
            rest = {key: each for key, each in value.items() if key != "items"}
            copy["properties"][name] = rest | {"prefixItems": exact, "minItems": len(exact), "maxItems": len(exact)}
    return copy


def _resolved(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    found: dict[str, Any] = whole.get("$defs", {}).get(name, schema)
    return found


def _allows(schema: dict[str, Any], kind: str) -> bool:
    types = schema.get("type")
    return kind == types or (isinstance(types, list) and kind in types)
