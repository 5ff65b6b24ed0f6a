"""Which file is whose: a sheet is called as its rater is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.roster import name_key
from prbgen.errors import InputError
from prbgen.text import one_line

# A username by the name of a file in whatever case; null: nobody's.
Find = Callable[[str], str | None]

_UNSAFE = re.compile(r'[<>:"/\\|?*]|\A[ .~]|[ .]\Z|\A\Z')
# Windows keeps these for devices, whatever follows the first dot.
_RESERVED = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³])(\.|$)", re.IGNORECASE)
_LONGEST = 120  # bytes: room for a batch number, a suffix and a temporary one within 255
_BATCHES = 100  # as many are told apart from usernames of earlier raters
_BATCH = re.compile(r"-\d+$")


def refuse_names(usernames: Iterable[str]) -> None:
    """Refuse usernames that files can't be called by on every system.

    Raises:
        InputError: a username is no file name, or two make names that some system takes for one.
    """
    by_key: dict[str, str] = {}
    for username in usernames:
        if not _is_file_name(username):
            told = one_line(username, 40)
            raise InputError(f'the username "{told}" makes no file name; on sheets, call that rater otherwise')
        if (other := by_key.setdefault(name_key(username), username)) != username:
            raise InputError(f'the usernames "{other}" and "{username}" make the same file name; change one of them')
    for key, username in by_key.items():
        owner = by_key.get(_BATCH.sub("", key), username)
        if owner != username:
            raise _ambiguous(owner, username)


def refuse_taken(folder: Path) -> None:
    """Refuse a folder that holds other sheets: those of a round are known by their folder and names.

    Raises:
        InputError: names one.
    """
    if file := next((file for file in sorted(folder.glob("*")) if file.suffix.lower() == ".csv"), None):
        raise InputError(f"{file}: is there already; a round wants a folder of its own")


def refuse_ambiguous(usernames: Iterable[str], is_rater: Callable[[str], bool]) -> None:
    """Refuse usernames that differ by a batch number from one of an earlier rater, who need not rate any more.

    Raises:
        InputError: names both.
    """
    for username in usernames:
        owner = _BATCH.sub("", username)
        if owner != username and is_rater(owner):
            raise _ambiguous(owner, username)
        # Of earlier raters the run has pseudonyms alone, so names can only be tried.
        for batch in range(2, _BATCHES):
            if is_rater(other := f"{username}-{batch}"):
                raise _ambiguous(username, other)


def _ambiguous(owner: str, other: str) -> InputError:
    return InputError(f'a later sheet of "{owner}" could have the name of one of "{other}"; change one of them')


def file_name(username: str, batch: int) -> str:
    """The name of a rater's sheet in a batch, counted from 1."""
    return f"{username}.csv" if batch == 1 else f"{username}-{batch}.csv"


def owner_of(file: Path, find: Find) -> str | None:
    """Whose sheet a file is, of whatever batch; null: nobody's."""
    stem = unicodedata.normalize("NFC", file.stem)  # some systems store names otherwise
    return find(stem) or find(_BATCH.sub("", stem))


def among(usernames: Iterable[str]) -> Find:
    """Finds those usernames."""
    by_key = {name_key(username): username for username in usernames}
    return lambda name: by_key.get(name_key(name))


def raters_in(folder: Path, campaign: Campaign, alias: Callable[[str], str]) -> list[str]:
    """The usernames of the campaign's raters of whom there are sheets, by the names of the files.

    Raises:
        InputError: the folder can't be read.
    """

    def find(name: str) -> str | None:
        return name if alias(name) in campaign.raters else None

    return sorted({owner for file in files_in(folder) if (owner := owner_of(file, find))})


def files_in(folder: Path) -> Collection[Path]:
    """The files of a folder by name, without those that systems and spreadsheets hide.

    Raises:
        InputError: the folder can't be read.
    """
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith((".", "~$")) and path.is_file())
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from None


def _is_file_name(text: str) -> bool:
    return (
        text.isprintable()
        and unicodedata.is_normalized("NFC", text)
        and not _UNSAFE.search(text)
        and not _RESERVED.match(text)
        and len(text.encode()) <= _LONGEST
    )
