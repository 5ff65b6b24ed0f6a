from __future__ import annotations

import io
import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.sources.json_array import BrokenJsonError, split_array

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
SMALL = st.none() | st.floats(allow_nan=False) | st.text(max_size=8) | st.lists(st.integers(), max_size=3)
CHUNKS = st.integers(1, 40)


def split(text: str, chunk: int = 1 << 20) -> list[Any]:
    return [element.value for element in split_array(io.StringIO(text).read, chunk)]


@given(st.lists(ANY_JSON), CHUNKS, st.booleans(), st.sampled_from([None, 0, 3]))
def test_equals_json_loads_at_any_chunk_size(
    values: list[Any], chunk: int, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(values, ensure_ascii=ascii_only, indent=indent)
    assert split(text, chunk) == json.loads(text)


@given(st.lists(st.dictionaries(st.text(max_size=3), SMALL), min_size=1, max_size=4), CHUNKS, st.floats(0, 1))
def test_a_text_that_ends_too_early_gives_what_was_whole_and_then_an_error(
    values: list[Any], chunk: int, share: float
) -> None:
    text = json.dumps(values)
    cut = int(share * (len(text) - 1))
    got: list[Any] = []
    elements = split_array(io.StringIO(text[:cut]).read, chunk)
    with pytest.raises(BrokenJsonError):
        got.extend(element.value for element in elements)
    assert got == values[: len(got)]


@given(st.text(), CHUNKS)
def test_any_text_is_split_or_refused_as_json_loads_would(text: str, chunk: int) -> None:
    try:
        expected = json.loads(f"[{text}]")
    except ValueError:
        with pytest.raises(BrokenJsonError):
            split(f"[{text}]", chunk)
    else:
        assert split(f"[{text}]", chunk) == expected


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('[\n{"a": 1},\n{"a": nope}]', 3, "Expecting value (column 7)"),
        ('[\n{"a": 1}\n{"a": 2}]', 3, "Expecting ',' or ']' (column 1)"),
        ('[{"a": 1},\n\n]', 3, "Expecting value (column 1)"),
        ("[1]\n[2]", 2, "Text after the end of the array (column 1)"),
        ("[" * 100_000, 1, "Nested too deeply (column 2)"),
        (f"[\n{'1' * 5000}]", 2, "A number of too many digits (column 1)"),
        ("", 1, "Expecting '[' (column 1)"),
    ],
)
@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_a_fault_is_named_by_line_and_column(text: str, line: int, what: str, chunk: int) -> None:
    with pytest.raises(BrokenJsonError) as caught:
        split(text, chunk)
    assert caught.value.line == line
    assert str(caught.value).endswith(what)


def counted(parts: itertools.chain[str]) -> tuple[Callable[[int], str], list[int]]:
    asked: list[int] = []

    def read(size: int) -> str:
        asked.append(size)
        return "".join(itertools.islice(parts, size))

    return read, asked


def test_a_fault_is_found_without_reading_on() -> None:
    read, asked = counted(itertools.chain('[{"a": nope},', itertools.repeat("1")))
    with pytest.raises(BrokenJsonError):
        list(split_array(read, chunk=100))
    assert len(asked) == 1


def test_a_long_value_is_tried_again_only_when_the_text_has_doubled() -> None:
    read, asked = counted(itertools.chain('["', itertools.repeat("x", 1_000_000), '"]'))
    assert len(list(split_array(read, chunk=10))) == 1
    assert len(asked) < 25
