"""Rows of a JSON array or of JSON lines, plain or gzipped."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

from prbgen.errors import InputError
from prbgen.sizes import LONGEST_ROW, too_long_row
from prbgen.sources.json_array import BrokenJsonError, TooLongValueError, split_array
from prbgen.sources.lamp_qa import FIELDS
from prbgen.sources.packed import opened
from prbgen.sources.raw import RawRow
from prbgen.text import is_unicode

_NOT_UTF8 = "not UTF-8 text"
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)


def json_rows(path: Path, label: str, known: Collection[str] = FIELDS) -> Iterator[RawRow]:
    """The rows of a file; its first character that is not blank tells an array from lines.

    One object alone is a row if it has a known column.

    Raises:
        InputError: the file is no list of rows, is called .gz and is not, or something in it is absurdly long.
        OSError: the file cannot be read.
    """
    last = None
    try:
        # Bytes that are no UTF-8 become lone surrogates, which the rows they stand in will show.
        with io.TextIOWrapper(opened(path), encoding="utf-8-sig", errors="surrogateescape", newline="\n") as text:
            for row in _rows(text, path, label, known):
                last = row.where
                yield row
    except _DAMAGED as error:
        if last is None and isinstance(error, gzip.BadGzipFile):
            raise InputError(f"{path}: {error}") from None
        after = f"nothing after {last} could be read" if last else "nothing could be read"
        yield RawRow(label, fault=f"the compressed data end too early or are damaged: {after}")


def _rows(text: io.TextIOWrapper, path: Path, label: str, known: Collection[str]) -> Iterator[RawRow]:
    first = _first_character(text)
    if first == "[":
        return _array_rows(text, label)
    if first == "{":
        _refuse_one_object(text, path, known)
    return _line_rows(text, label)


def _first_character(text: io.TextIOWrapper) -> str:
    while (first := text.read(1)) and first.isspace():
        pass
    text.seek(0)
    return first


def _array_rows(text: io.TextIOWrapper, label: str) -> Iterator[RawRow]:
    number = 0
    try:
        for number, element in enumerate(split_array(text.read), 1):
            where = f"{label}:row {number}"
            yield RawRow(where, element.value) if element.is_unicode else RawRow(where, fault=_NOT_UTF8)
    except TooLongValueError as error:
        raise too_long_row(f"{label}:line {error.line}") from None
    except BrokenJsonError as error:
        yield RawRow(f"{label}:line {error.line}", fault=f"{error}; nothing after row {number} could be read")


def _line_rows(text: io.TextIOWrapper, label: str) -> Iterator[RawRow]:
    for number, line in enumerate(iter(lambda: text.readline(LONGEST_ROW + 1), ""), 1):
        if len(line) > LONGEST_ROW:
            raise too_long_row(f"{label}:line {number}")
        if not line.isspace():
            yield _line_row(line, f"{label}:line {number}")


def _line_row(line: str, where: str) -> RawRow:
    if not is_unicode(line):
        return RawRow(where, fault=_NOT_UTF8)
    try:
        return RawRow(where, json.loads(line.rstrip()))
    except json.JSONDecodeError as error:
        return RawRow(where, fault=f"broken JSON: {error.msg} (column {error.pos + 1})")
    except RecursionError:
        return RawRow(where, fault="broken JSON: Nested too deeply")
    except ValueError:
        return RawRow(where, fault="broken JSON: A number of too many digits")


def _refuse_one_object(text: io.TextIOWrapper, path: Path, known: Collection[str]) -> None:
    """Refuse a file that holds one JSON object, on one line or over several, and no row."""
    try:
        first, second = _next_line(text), _next_line(text)
    except _DAMAGED:
        return
    finally:
        text.seek(0)
    row = _line_row(first, "").value
    is_alone = not second and isinstance(row, dict) and row.keys().isdisjoint(known)
    goes_on = second and _line_row(second, "").fault and _ends_between_tokens(first)
    if is_alone or goes_on:
        raise InputError(f"{path}: holds one JSON object; it should be an array of rows, or one row a line")


def _ends_between_tokens(line: str) -> bool:
    """Whether a line is the beginning of a JSON value that goes on in the next one."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos >= len(line.rstrip()) and not error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        pass
    return False


def _next_line(text: io.TextIOWrapper) -> str:
    while (line := text.readline(LONGEST_ROW + 1)) and line.isspace():
        pass
    return line
