"""Reads files, and unpacks those that are called .gz, but none that holds absurdly more than it weighs."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import IO, TYPE_CHECKING

from prbgen.errors import InputError
from prbgen.sizes import MOST_TIMES, MOST_UNPACKED, regular

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def is_packed(path: Path) -> bool:
    """Whether its name says so."""
    return path.name.lower().endswith(".gz")


def opened(path: Path) -> IO[bytes]:
    """The content of a file, unpacked.

    Raises:
        InputError: it is no regular file; later, while it is read, that it holds absurdly much.
        OSError: it cannot be read.
    """
    if not is_packed(regular(path)):
        return path.open("rb")
    return io.BufferedReader(_Unpacked(path))


class _Unpacked(io.RawIOBase):
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = gzip.open(path)  # noqa: SIM115  (closed with this)
        self._most = max(MOST_UNPACKED, MOST_TIMES * path.stat().st_size)
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        # What comes before a damage is given out before that is found.
        found = self._file.read1(len(memoryview(buffer)))
        memoryview(buffer)[: len(found)] = found
        self._at += len(found)
        if self._at > self._most:
            what = f"holds more than {self._most / 2**30:,.0f} GiB, over {MOST_TIMES} times what it weighs"
            raise InputError(f"{self._path}: {what}: unpack it and see what it is")
        return len(found)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._at = self._file.seek(offset, whence)
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        self._file.close()
        super().close()
