"""Raw rows with their places, streamed from a file of any kind that is read here."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from prbgen.errors import InputError
from prbgen.sizes import MOST_ENTRIES, too_many_entries
from prbgen.sources.json_rows import json_rows
from prbgen.sources.lamp_qa import FIELDS
from prbgen.sources.parquet_rows import parquet_rows
from prbgen.sources.raw import RawRow

SUFFIXES = (".json", ".jsonl", ".ndjson", ".parquet")


def is_data_file(name: str) -> bool:
    """Whether a file of this name can be read: .json, .jsonl, .ndjson, .parquet, each also with .gz."""
    return name.lower().removesuffix(".gz").endswith(SUFFIXES)


def read_rows(path: Path, label: str, columns: Collection[str] = FIELDS) -> Iterator[RawRow]:
    """The rows of one file, in its order; `label` is what the places call it. Holds a few rows at a time.

    `columns` are those that are wanted; what else a row has may be left out.

    A place that cannot be read comes out as a row with a fault, and reading goes on where that makes sense.

    Raises:
        InputError: the file as a whole cannot be read, or a row is absurdly large.
    """
    parquet = path.name.lower().removesuffix(".gz").endswith(".parquet")
    try:
        for row in parquet_rows(path, label, columns) if parquet else json_rows(path, label, columns):
            yield _of_a_size(row)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _of_a_size(row: RawRow) -> RawRow:
    for name, value in row.value.items() if isinstance(row.value, dict) else ():
        if isinstance(value, list) and len(value) > MOST_ENTRIES:
            raise too_many_entries(row.where, name[:80], len(value))
    return row
