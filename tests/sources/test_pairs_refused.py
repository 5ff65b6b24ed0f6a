"""What is no pair, or changes while it is read, is refused with its place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.sources import read_pairs
from tests.sources.lamp_rows import content, row, write
from tests.sources.pair_files import build_run, plain, refusal

NO_OBJECTS = ", ".join(f"profile[{number}]: is a number, should be an object" for number in range(3))


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("x.json", [row("1")], f"row 1: no chosen, no rejected; columns are: {', '.join(row('1'))}"),
        ("x.parquet", [{"a": 1, "chosen": "a"}], "row 1: no rejected; columns are: chosen, a"),
        ("x.jsonl", [plain("1"), plain("2", id=[3])], "line 2: id: is a list, should be text"),
        ("x.jsonl", [plain("1"), 7], "line 2: is a number, should be an object"),
        ("x.json", [plain("1", profile=[1, 2, 3, 4, 5])], f"row 1: {NO_OBJECTS}, and 2 more"),
    ],
)
def test_what_is_no_pair_is_refused_with_its_place(tmp_path: Path, name: str, rows: list[Any], message: str) -> None:
    path = write(tmp_path / "data" / name, rows)
    assert refusal(path) == f"{name}:{message}"
    assert refusal(path.parent) == f"data/{name}:{message}"


def test_a_broken_file_is_refused_at_its_fault(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content([plain("1")], "jsonl") + b'{"chosen": "a", "rejec')
    assert refusal(path).startswith("x.jsonl:line 2: broken JSON: ")
    path.write_bytes(b'{"chosen": "\xff", "rejected": "b"}')
    assert refusal(path) == "x.jsonl:line 1: not UTF-8 text"
    path.write_bytes(b"")
    assert refusal(path) == "x.jsonl: no rows"


def test_what_is_not_there_is_refused(in_tmp_path: Path) -> None:
    assert refusal("nothing.jsonl") == "nothing.jsonl: no such file or folder"
    (in_tmp_path / "empty").mkdir()
    assert refusal("empty").startswith(f"{in_tmp_path / 'empty'}: no file to read (.json, .jsonl, ")
    run = build_run(in_tmp_path / "run")
    run.pairs.unlink()
    assert refusal("run") == "run: this run has no pairs yet; `prbgen generate` makes them"


def test_data_that_grows_in_between_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [plain("1")])
    pairs = read_pairs(str(path))
    assert next(pairs).chosen == "good 1"
    with path.open("ab") as file:
        file.write(content([plain("2")], "jsonl"))
    with pytest.raises(InputError, match=r"x\.jsonl: the data has changed while it was being read: start again"):
        next(pairs)


def test_data_that_shrinks_in_between_is_noticed(tmp_path: Path) -> None:
    # More than is read ahead.
    path = write(tmp_path / "x.jsonl", [plain(str(number)) for number in range(9999)])
    pairs = read_pairs(str(path))
    assert next(pairs).chosen == "good 0"
    os.truncate(path, path.stat().st_size - len(path.read_bytes().splitlines(keepends=True)[-1]))
    with pytest.raises(InputError, match=r"x\.jsonl: the data has changed while it was being read: start again"):
        list(pairs)
