import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from prbgen.llm.transports.bounded import MAX_ITEMS, MAX_LENGTH, bounded, numbered

_NAMES = st.sampled_from(["type", "items", "properties", "maxLength", "a", "b"])


def _pairs(draw: st.DrawFn, depth: int) -> tuple[dict[str, Any], Any, bool]:
    """A schema, a value that follows it, and whether the value keeps to the default bounds."""
    kind = draw(st.sampled_from(["string", "null", "array", "object", "anyOf"] if depth else ["string", "null"]))
    if kind == "string":
        length = draw(st.integers(0, MAX_LENGTH * 2))
        return {"type": draw(st.sampled_from(["string", ["string", "null"]]))}, "x" * length, length <= MAX_LENGTH
    if kind == "null":
        return {"type": "null"}, None, True
    if kind == "array":
        schema, value, short = _pairs(draw, depth - 1)
        count = draw(st.integers(0, MAX_ITEMS * 2))
        return {"type": "array", "items": schema}, [value] * count, count <= MAX_ITEMS and (short or not count)
    if kind == "object":
        members = draw(st.lists(_NAMES, unique=True, max_size=3))
        parts = {name: _pairs(draw, depth - 1) for name in members}
        schema = {"type": "object", "properties": {name: part[0] for name, part in parts.items()}}
        return schema, {name: part[1] for name, part in parts.items()}, all(part[2] for part in parts.values())
    schema, value, short = _pairs(draw, depth - 1)
    return {"anyOf": [schema, {"type": "integer"}]}, value, short


@st.composite
def schemas_with_values(draw: st.DrawFn) -> tuple[dict[str, Any], Any, bool]:
    return _pairs(draw, 3)


def _valid(schema: dict[str, Any], value: Any) -> bool:
    from jsonschema import Draft202012Validator

    return bool(Draft202012Validator(schema).is_valid(value))


@given(schemas_with_values())
def test_refuses_exactly_what_is_too_long(case: tuple[dict[str, Any], Any, bool]) -> None:
    schema, value, short = case
    assert _valid(schema, value)
    assert _valid(bounded(schema), value) == short


@given(schemas_with_values())
def test_leaves_its_argument_alone_and_a_second_pass_changes_nothing(case: tuple[dict[str, Any], Any, bool]) -> None:
    schema = case[0]
    before = copy.deepcopy(schema)
    once = bounded(schema)
    assert schema == before
    assert bounded(once) == once


def test_bounds_the_schema_of_a_pydantic_type_down_to_its_definitions() -> None:
    class Aspect(BaseModel):
        aspect: str
        evidence: str | None

    class Reply(BaseModel):
        aspects: list[Aspect]
        tags: dict[str, list[str]]

    schema = bounded(Reply.model_json_schema())
    aspect = schema["$defs"]["Aspect"]["properties"]
    assert aspect["aspect"]["maxLength"] == MAX_LENGTH
    assert aspect["evidence"]["anyOf"][0]["maxLength"] == MAX_LENGTH
    assert schema["properties"]["aspects"]["maxItems"] == MAX_ITEMS
    tags = schema["properties"]["tags"]["additionalProperties"]
    assert tags == {"type": "array", "items": {"type": "string", "maxLength": MAX_LENGTH}, "maxItems": MAX_ITEMS}


def test_keeps_the_limits_and_choices_that_are_there() -> None:
    class Reply(BaseModel):
        long: str = Field(max_length=900)
        at_least: str = Field(min_length=300)
        many: list[int] = Field(min_length=10)
        few: list[int] = Field(max_length=2)

    properties = bounded(Reply.model_json_schema())["properties"]
    assert properties["long"]["maxLength"] == 900
    assert properties["at_least"]["maxLength"] == 300
    assert properties["many"]["maxItems"] == 10
    assert properties["few"]["maxItems"] == 2
    choice = {"type": "string", "enum": ["yes", "no"]}
    assert bounded(choice) == choice


def test_takes_no_default_value_or_negation_for_a_schema() -> None:
    schema = {"type": "object", "default": {"type": "string"}, "not": {"type": "array"}}
    assert bounded(schema) == schema


class Entry(BaseModel):
    number: int
    found: str


class Numbered(BaseModel):
    entries: list[Entry] = Field(min_length=1)
    others: list[str]


@given(st.lists(st.integers(1, 9), max_size=6))
def test_numbered_entries_are_as_many_and_as_numbered_as_in_the_reply_that_is_assumed(numbers: list[int]) -> None:
    schema = Numbered.model_json_schema()
    before = copy.deepcopy(schema)
    assumed = {"entries": [{"number": number, "found": "x"} for number in numbers], "others": ["y"]}
    exact = numbered(schema, json.dumps(assumed))
    assert schema == before
    entries = exact["properties"]["entries"]
    assert [each["properties"]["number"] for each in entries["prefixItems"]] == [{"const": n} for n in numbers]
    assert (entries["minItems"], entries["maxItems"]) == (len(numbers), len(numbers))
    assert "items" not in entries
    assert exact["properties"]["others"] == schema["properties"]["others"]


def test_a_schema_without_numbers_or_a_reply_that_is_no_json_changes_nothing() -> None:
    schema = Numbered.model_json_schema()
    assert numbered(schema, "prose") == schema
    assert numbered(schema, "[1]") == schema
