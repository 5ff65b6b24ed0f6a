"""SHA256SUMS: with it anybody can tell whether a dataset is as it was published."""

from __future__ import annotations

import re
from pathlib import Path

from prbgen.digest import file_sha256
from prbgen.errors import PrbgenError

SUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def write_sums(folder: Path) -> None:
    """Write the SHA-256 of every file in `folder`, sorted by path, as `sha256sum -c SHA256SUMS` reads it.

    Raises:
        OSError: a file cannot be read, or this one not be written.
    """
    with (folder / SUMS).open("w", encoding="utf-8", newline="\n") as sums:
        sums.writelines(f"{file_sha256(folder / name)}  {name}\n" for name in sorted(_present(folder)))


def read_sums(folder: Path) -> dict[str, str]:
    """{path in the folder: SHA-256}, as SHA256SUMS lists them.

    Raises:
        PrbgenError: there is no such list, or it is not in the form of `sha256sum`.
    """
    listing = folder / SUMS
    try:
        lines = listing.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except OSError as error:
        raise PrbgenError(f"{listing}: {error.strerror}; stage the dataset again") from None
    except UnicodeDecodeError as error:
        raise PrbgenError(f"{listing}: cannot be read: {error}") from None
    listed: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if not match or match[2] in listed:
            raise PrbgenError(f"{listing}: line {number} is no hash and file name, or the file comes twice")
        listed[match[2]] = match[1]
    return listed


def check_sums(folder: Path) -> None:
    """Compare all files of a folder with its SHA256SUMS.

    Raises:
        PrbgenError: there is no list, or a file is missing there, is listed there but missing, or has another hash.
    """
    listed, present = read_sums(folder), _present(folder)
    for name in sorted(present ^ listed.keys()):
        fault = "is not listed" if name in present else "is listed, but there is no such file"
        raise PrbgenError(f"{folder / SUMS}: {name} {fault}; stage the dataset again")
    for name, digest in listed.items():
        if file_sha256(folder / name) != digest:
            raise PrbgenError(f"{folder / SUMS}: {name} has another hash: it was changed after staging; stage again")


def _present(folder: Path) -> set[str]:
    """The paths of all files but the list itself."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {SUMS}
