"""Scores from a JSON file."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.correlate.readers.score_file import read_scores
from prbgen.errors import InputError


def write(folder: Path, text: str) -> Path:
    path = folder / "scores.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_are_read_by_model(in_tmp_path: Path) -> None:
    side = read_scores(write(Path(), '{"scalar:b": 2, "scalar:a": -0.5, "judge:c/d": 1e3}'))
    assert (side.models, side.scores.tolist()) == (("judge:c/d", "scalar:a", "scalar:b"), [1000.0, -0.5, 2.0])
    assert side.items is None
    assert side.label == "scores.json"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": NaN, "b": 1}', "the score of a is NaN, not a finite number"),
        ('{"a": 1, "b": Infinity}', "the score of b is Infinity"),
        ('{"a": 1e999, "b": 1}', "not a finite number"),
        ('{"a": 1, "b": 1' + "0" * 400 + "}", "not a finite number"),
        ('{"a": null, "b": 1}', "the score of a is null"),
        ('{"a": true, "b": 1}', "the score of a is true"),
        ('{"a": "1", "b": 1}', 'the score of a is "1"'),
        ('{"a": {"value": 1}, "b": 1}', "the score of a is an object"),
        ('{"a": 1, "b": 2, "a": 1}', "a is named twice"),
        ('{"a": 1}', "1 model; a ranking takes two or more"),
        ("{}", "no models; a ranking takes two or more"),
        ("[1, 2]", "should be one object"),
        ("{", "not JSON"),
        ("", "not JSON"),
        ('{"a\\u0000b": 1, "b": 1}', "is no name of a model"),
        ('{"\\ud800": 1, "b": 1}', "is no name of a model"),
        ('{" ": 1, "b": 1}', "is no name of a model"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_anything_else_is_one_clear_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_scores(write(tmp_path, text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'scores.json'}: ")


def test_a_file_that_is_missing_or_no_text_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_scores(tmp_path / "gone.json")
    (tmp_path / "scores.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError, match="not a UTF-8 text file"):
        read_scores(tmp_path / "scores.json")


JSONS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(JSONS | st.dictionaries(st.text(max_size=5), st.floats() | st.integers(), max_size=4))
def test_whatever_the_document_it_is_scores_or_one_line(document: object) -> None:
    with TemporaryDirectory() as folder:
        path = write(Path(folder), json.dumps(document))
        found = _read(path)
    if isinstance(found, str):
        assert "\n" not in found
    else:
        assert isinstance(document, dict)
        assert found == {name: float(score) for name, score in document.items()}


def _read(path: Path) -> dict[str, float] | str:
    """The scores, or what is wrong."""
    try:
        side = read_scores(path)
    except InputError as error:
        return str(error)
    return dict(zip(side.models, side.scores.tolist(), strict=True))
