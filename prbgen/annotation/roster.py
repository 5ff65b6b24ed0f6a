"""Who rates: the CSV file with one rater a line."""

from __future__ import annotations

import csv
import difflib
import io
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from prbgen.errors import InputError
from prbgen.sizes import read_whole

_COLUMNS = ("username", "password", "first_name", "last_name")
_DELIMITERS = ",;\t"


@dataclass(frozen=True)
class Rater:
    """A person and the account to make for them; null: a random password, the username as first name."""

    username: str
    password: str | None = None
    first_name: str | None = None
    last_name: str | None = None

    def __repr__(self) -> str:
        """Without the password, which may get into a log."""
        return f"Rater({self.username!r})"


def name_key(username: str) -> str:
    """What two spellings of one name have in common: their letters, whatever the case, width or composition."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold())


def read_roster(path: Path) -> tuple[Rater, ...]:
    """The raters of a CSV file with the columns username and, where wanted, password, first_name, last_name.

    Comma, semicolon or tab between columns, with or without a byte order mark: as spreadsheets write it.

    Raises:
        InputError: the file cannot be read, a column is unknown, a name is missing or there twice.
    """
    try:
        text = read_whole(path).decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; write one rater a line below the header `username`") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a UTF-8 text file; save it as CSV UTF-8") from None
    head = text.partition("\n")[0]
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=head.count), strict=True))
    except csv.Error as error:
        raise InputError(f"{path}: not a CSV file: {error}") from None
    columns = [cell.strip().lower() for cell in lines[0]] if lines else []
    _check(path, columns)
    raters: dict[str, Rater] = {}
    for number, cells in enumerate(lines[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(columns):
            raise InputError(f"{path}: line {number}: {len(cells)} cells, but the header has {len(columns)}")
        row = {
            name: unicodedata.normalize("NFC", cell.strip()) or None for name, cell in zip(columns, cells, strict=False)
        }
        username = row.pop("username")
        if username is None:
            raise InputError(f"{path}: line {number}: no username")
        if not username.isprintable():
            raise InputError(f"{path}: line {number}: {username!r} holds characters that no name has")
        if (key := name_key(username)) in raters:
            raise InputError(f"{path}: line {number}: {username} is there twice")
        raters[key] = Rater(username, **row)
    if not raters:
        raise InputError(f"{path}: names no rater; write one a line below the header")
    return tuple(raters.values())


def _check(path: Path, columns: list[str]) -> None:
    for name in columns:
        if name not in _COLUMNS:
            near = difflib.get_close_matches(name, _COLUMNS, n=1)
            hint = f'did you mean "{near[0]}"?' if near else f"known are {', '.join(_COLUMNS)}"
            raise InputError(f'{path}: unknown column "{name}"; {hint}')
    if "username" not in columns:
        raise InputError(f"{path}: the first line has no column username")
    if twice := next((name for name in columns if columns.count(name) > 1), None):
        raise InputError(f"{path}: the column {twice} is there twice")
