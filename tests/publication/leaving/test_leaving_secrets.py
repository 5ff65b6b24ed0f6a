from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.publication.features import COLUMNS
from prbgen.publication.leaving.secret_found import SecretFound, must_not_leave, secrets_gate
from prbgen.publication.leaving.secret_scan import scan_secrets
from prbgen.publication.stage import stage
from prbgen.schema import Pair, Post, RubricAspect

Make = Callable[..., Pair]
Write = Callable[[Iterable[Pair]], Path]
CANARY = 'canary "4711" of ours, \\ ünd more'
# Put together here, so that nothing in this file is mistaken for one.
TOKEN = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567"


@pytest.fixture(autouse=True)
def canary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_API_KEY", CANARY)


def planted(column: str, text: str) -> dict[str, Any]:
    """The fields of a pair that has `text` in a column."""
    if column == "profile":
        fine = Post(category=None, id="p0", text="Nothing here.")
        return {"profile": (fine, Post(category="books", id="p1", text=f"One line.\nThen {text}, and more."))}
    if column == "rubric_aspects":
        return {"rubric_aspects": (RubricAspect(aspect="Short", evidence=None, reason=f"See {text}"),)}
    if column == "strategy":
        return {}
    return {column: f"Well, {text}"}


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([each for each in COLUMNS if each not in ("strategy", "pair_id")]), st.sampled_from("vj"))
def test_a_secret_of_the_environment_is_found_in_any_column(
    make_pair: Make, write_pairs: Write, column: str, form: str
) -> None:
    text = CANARY if form == "v" else json.dumps(CANARY)
    pairs = [make_pair(0), make_pair(1, **planted(column, text))]
    if column == "generator":  # the card names it, in code of its own
        pairs[1] = make_pair(1).model_copy(update=planted(column, text))
    path = write_pairs(pairs)
    folder = path.parent / "dataset"
    stage(path, folder)
    found = [each for each in scan_secrets(folder) if each.file.endswith(".parquet")]
    assert found == [
        SecretFound(
            "data/Art_and_Entertainment/test_unvalidated.parquet",
            2,
            pairs[1].pair_id,
            column,
            "value of CANARY_API_KEY",
            variable="CANARY_API_KEY",
        )
    ]
    assert must_not_leave(found) == tuple(found)


@pytest.mark.parametrize("name", ["README.md", "evaluate.py", "plots/words.svg", "plots/words.png", ".hidden", "x.bin"])
@given(st.binary(max_size=200), st.binary(max_size=200))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_secret_of_the_environment_is_found_in_any_file(
    tmp_path: Path, name: str, before: bytes, after: bytes
) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(before + CANARY.encode() + after)
    assert [(each.file, each.variable) for each in must_not_leave(scan_secrets(tmp_path))] == [(name, "CANARY_API_KEY")]


def test_a_secret_that_goes_over_lines_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEM_KEY", "first line\nsecond line")
    (tmp_path / "notes.txt").write_text("See\nfirst line\nsecond line\n")
    assert scan_secrets(tmp_path) == (
        SecretFound("notes.txt", None, None, None, "value of PEM_KEY", variable="PEM_KEY"),
    )


def test_a_secret_on_the_border_of_what_is_read_at_once_is_found(tmp_path: Path) -> None:
    secret = CANARY.encode()
    (tmp_path / "big.parquet.bin").write_bytes((b"." * 1023 + b"\n") * 4095 + b"." * 1015 + secret[:9] + secret[9:])
    assert [each.variable for each in scan_secrets(tmp_path)] == ["CANARY_API_KEY"]


def test_what_a_parquet_file_says_beside_its_rows_is_looked_through(tmp_path: Path) -> None:
    table = pa.table({"a": ["fine"]}).replace_schema_metadata({"made": f"by {CANARY}", "with": TOKEN})
    pq.write_table(table, tmp_path / "a.parquet")
    found = {(each.kind, each.variable) for each in scan_secrets(tmp_path)}
    assert found == {("value of CANARY_API_KEY", "CANARY_API_KEY"), ("Hugging Face token", None)}


def test_the_name_of_a_file_may_be_a_secret_and_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILE_TOKEN", "canary-4711-name")
    (tmp_path / "canary-4711-name.txt").write_text(TOKEN)
    found = scan_secrets(tmp_path)
    assert [each.variable for each in found] == ["FILE_TOKEN", None]
    assert "4711" not in repr(found)


def test_any_column_of_any_parquet_file_is_looked_through(tmp_path: Path) -> None:
    rows = [{"rater": "r1", "value": {"deep": [["fine", TOKEN]]}, "raw": CANARY.encode(), "n": 1}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "ratings.parquet")
    assert [(each.number, each.pair_id, each.column, each.kind) for each in scan_secrets(tmp_path)] == [
        (1, None, "value", "Hugging Face token"),
        (1, None, "raw", "value of CANARY_API_KEY"),
    ]


def test_a_post_that_comes_again_is_named_in_each_of_its_rows(make_pair: Make, write_pairs: Write) -> None:
    path = write_pairs(make_pair(number, **planted("profile", TOKEN)) for number in range(3))
    stage(path, path.parent / "dataset")
    found = scan_secrets(path.parent / "dataset")
    assert [each.number for each in found] == [1, 2, 3]
    assert {(each.column, each.kind, each.begins) for each in found} == {("profile", "Hugging Face token", "hf_A")}


def test_no_secret_is_in_what_is_staged(varied_pairs: list[Pair], write_pairs: Write) -> None:
    path = write_pairs(varied_pairs)
    stage(path, path.parent / "dataset")
    assert scan_secrets(path.parent / "dataset") == ()


def test_how_far_it_is_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"123")
    (tmp_path / "b").write_bytes(b"4567")
    told: list[tuple[int, int]] = []
    scan_secrets(tmp_path, lambda done, total: told.append((done, total)))
    assert told == [(3, 7), (7, 7)]


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"a\.parquet: cannot be read as Parquet"):
        scan_secrets(tmp_path)


def test_secrets_of_the_environment_are_told_from_what_looks_like_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"{TOKEN}\n{CANARY}\n")
    assert [str(each) for each in must_not_leave(scan_secrets(tmp_path))] == ["a.md, line 2 (value of CANARY_API_KEY)"]


def test_the_gate_names_places(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("fine\n" + f"{TOKEN}\n" * 7)
    gate = secrets_gate(scan_secrets(tmp_path))
    assert (gate.name, gate.state) == ("secrets", "fail")
    assert gate.said.startswith(
        "7 places hold what looks like a secret: a.md, line 2 (Hugging Face token, hf_A...); a.md, line 3"
    )
    assert gate.said.endswith("; and 2 more")
    assert TOKEN not in gate.said
    assert secrets_gate(()).state == "pass"
