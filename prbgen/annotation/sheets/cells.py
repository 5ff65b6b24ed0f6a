"""What a rater has put into a cell, in whatever way spreadsheets and keyboards spell it."""

from __future__ import annotations

import re
import unicodedata

from pydantic import JsonValue

from prbgen.annotation.form.asked import NONE, Asked
from prbgen.annotation.ratings.values import scale
from prbgen.annotation.sheets.columns import entries

_WHOLE = re.compile(r"([0-9]{1,6})(?:[.,]0{0,6})?")
_BETWEEN = re.compile(r"[;,、،؛\s]+")
_ERRORS = {"#NAME?", "#VALUE!", "#REF!", "#DIV/0!", "#N/A", "#NUM!", "#NULL!", "Err:508", "Err:509", "Err:510"}
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")


class CellError(ValueError):
    """A cell holds what may not stand there; says what may."""


def read_cell(asked: Asked, aspects: int, cell: str) -> JsonValue:
    """The answer in a cell, as a server would give it: a number, a list, a text; null for an empty cell.

    `aspects` is how many the item has.

    Raises:
        CellError: it is none of what may stand there.
    """
    plain = _plain(cell)
    if not plain:
        return None
    if asked.kind == "text":
        return _text(cell)
    if asked.kind == "rating":
        return _rating(asked, plain)
    return _aspects(aspects, plain) if asked.kind == "aspects" else _choice(asked, plain)


def _plain(cell: str) -> str:
    """The cell in one spelling: digits of any script as 0 to 9, no full-width forms, upper case or invisible marks."""
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", cell))
    digits = "".join(str(unicodedata.decimal(each, each)) for each in folded).replace("٫", ".")
    return digits.strip().removeprefix("'").strip().casefold()


def _text(cell: str) -> str:
    if any("\ud800" <= each <= "\udfff" for each in cell):
        raise CellError("any text, but this file is not in UTF-8: save the sheet as CSV UTF-8")
    if cell.strip() in _ERRORS:
        raise CellError("any text, but the spreadsheet took it for a formula: write it without = + - @ in front")
    return cell.strip().replace("\r\n", "\n").replace("\r", "\n")


def _rating(asked: Asked, plain: str) -> int:
    number = _WHOLE.fullmatch(plain)
    if number is None or int(number[1]) not in scale(asked):
        raise CellError(entries(asked))
    return int(number[1])


def _choice(asked: Asked, plain: str) -> str:
    for value, text in asked.options:
        if plain in (value.casefold(), text.casefold()):
            return value
    raise CellError(entries(asked))


def _aspects(aspects: int, plain: str) -> list[JsonValue]:
    may = f"numbers from 1 to {aspects} with ; between, such as 1;3, or {NONE}" if aspects else NONE
    if plain == NONE:
        return [NONE]
    whole = _WHOLE.fullmatch(plain)
    parts = [whole[1]] if whole else [part for part in _BETWEEN.split(plain) if part]
    if any(re.fullmatch(r"[0-9]+\.[0-9]+", part) for part in parts):
        raise CellError(f"{may}; a point may be a spreadsheet's decimal point")
    if not all(re.fullmatch("[0-9]{1,6}", part) for part in parts):
        raise CellError(may)
    numbers = sorted(map(int, parts))
    if not numbers or not 1 <= numbers[0] <= numbers[-1] <= aspects or len(set(numbers)) < len(numbers):
        raise CellError(f"{may}; each once")
    return [str(number) for number in numbers]
