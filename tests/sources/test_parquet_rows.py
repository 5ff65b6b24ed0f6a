from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from prbgen.errors import InputError
from prbgen.sources.parquet_rows import parquet_rows
from prbgen.sources.raw import RawRow
from tests.sources.lamp_rows import content, row, write

ROWS = [row(str(number)) for number in range(40)]


@pytest.mark.parametrize("name", ["a.parquet", "a.parquet.gz"])
def test_rows_come_in_order_with_their_numbers(tmp_path: Path, name: str) -> None:
    found = list(parquet_rows(write(tmp_path / name, ROWS), "F"))
    assert found == [RawRow(f"F:row {number}", value) for number, value in enumerate(ROWS, 1)]


def test_unknown_columns_are_not_read_and_missing_ones_are_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", [{"id": "1", "chosen": "yes"}])
    assert [found.value for found in parquet_rows(path, "F")] == [{"id": "1"}]
    path = write(tmp_path / "b.parquet", [{"chosen": "yes"}])
    assert [found.value for found in parquet_rows(path, "F")] == [{}]


def test_other_columns_may_be_wanted_and_those_left_out_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", [{"id": "1", "chosen": "a", "vector": [0.5]}])
    assert list(parquet_rows(path, "F", ["chosen"])) == [RawRow("F:row 1", {"chosen": "a"}, unread=("id", "vector"))]


def test_text_that_is_no_utf8_spoils_one_row(tmp_path: Path) -> None:
    texts = pa.array([b"good", b"caf\xe9", b"good"], pa.binary()).cast(pa.string(), safe=False)
    pq.write_table(pa.table({"id": texts}), tmp_path / "a.parquet")
    assert [found.fault for found in parquet_rows(tmp_path / "a.parquet", "F")] == [None, "not UTF-8 text", None]


@pytest.mark.parametrize("name", ["a.parquet", "a.parquet.gz"])
def test_what_is_no_parquet_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"no parquet") if name.endswith("gz") else b"no parquet")
    with pytest.raises(InputError, match=f"{name}: no Parquet file, or a damaged one: "):
        list(parquet_rows(path, "F"))


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", ROWS)
    whole = path.read_bytes()
    path.write_bytes(whole[:20] + b"\xff" * 400 + whole[420:])
    with pytest.raises(InputError, match=r"a\.parquet: no Parquet file, or a damaged one: "):
        list(parquet_rows(path, "F"))


def test_a_cut_off_gzip_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet.gz"
    path.write_bytes(content(ROWS, "parquet.gz")[:-20])
    with pytest.raises(InputError, match=r"a\.parquet\.gz: the compressed data are damaged: "):
        list(parquet_rows(path, "F"))
