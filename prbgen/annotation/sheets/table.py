"""A CSV file as whatever spreadsheet saved it: its rows, and which column is where."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from prbgen.annotation.sheets.columns import name_of
from prbgen.errors import InputError
from prbgen.sizes import read_whole

_DELIMITERS = (",", ";", "\t")
# Tells Excel the delimiter, and is no row to it.
_SEPARATOR_LINE = re.compile(r"\Asep=.(\r\n|\r|\n)", re.IGNORECASE)


@dataclass(frozen=True)
class Table:
    """The rows below the first, each with its number as a spreadsheet counts, and the places of the columns sought."""

    columns: dict[str, int]
    rows: list[tuple[int, list[str]]]


def read_table(path: Path, sought: Collection[str]) -> Table:
    """Read a file that a spreadsheet saved; columns are told by their names, whatever follows a colon.

    In a file that is neither UTF-8 nor UTF-16 nobody knows what a character beyond ASCII is: it becomes a lone
    surrogate.

    Raises:
        InputError: the file cannot be read, is no table, or a column is there twice.
    """
    try:
        text = _SEPARATOR_LINE.sub("", _decoded(read_whole(path)))
    except OSError as error:
        raise InputError(f"{path.name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: broken UTF-16; save the sheet again, as CSV UTF-8") from None
    names = {name.casefold(): name for name in sought}
    found = [(delimiter, *_head(text, delimiter)) for delimiter in _DELIMITERS]
    delimiter, start, head = max(found, key=lambda each: sum(name_of(cell) in names for cell in each[2]))
    columns: dict[str, int] = {}
    for place, cell in enumerate(head):
        name = names.get(name_of(cell))
        if name is not None and columns.setdefault(name, place) != place:
            raise InputError(f"{path.name}: has the column {name} twice; delete one")
    try:
        rows = [(number, cells) for number, cells in _records(text, delimiter) if number > start and any(cells)]
    except csv.Error as error:
        raise InputError(
            f"{path.name}: no table as spreadsheets save it ({error}); save it again as CSV UTF-8"
        ) from None
    return Table(columns, rows)


def _decoded(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # The sheet's own marks and most answers are ASCII; only a text that is not must be refused.
        return data.decode("ascii", "surrogateescape")


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    return enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 1)


def _head(text: str, delimiter: str) -> tuple[int, list[str]]:
    """The first row that holds anything, and its number."""
    try:
        for number, cells in _records(text, delimiter):
            if any(map(str.strip, cells)):
                return number, cells
    except csv.Error:
        pass
    return 0, []
