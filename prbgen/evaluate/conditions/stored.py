"""Pairs on disk that vanish with the block that made them, so that memory stays flat however many there are."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from prbgen.evaluate.conditions.pair import PreparedPair
from prbgen.run import as_line, cannot_write

_NOWHERE = -1


class Stored:
    """Pairs by their places, from 0, in a nameless file of JSON lines. One thread at a time may use it."""

    def __init__(self, file: IO[bytes], folder: Path) -> None:
        self._file, self._folder = file, folder
        self._starts = array("q")

    def put(self, place: int, pair: PreparedPair) -> None:
        """Keep a pair; places may come in any order.

        Raises:
            PrbgenError: the disk refuses.
        """
        try:
            start = self._file.seek(0, 2)
            self._file.write(as_line(pair).encode())
            self._file.flush()
        except OSError as error:
            raise cannot_write(self._folder, error) from None
        self._starts.extend([_NOWHERE] * (place + 1 - len(self._starts)))
        self._starts[place] = start

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, place: int) -> PreparedPair:
        self._file.seek(self._starts[place])
        return PreparedPair.model_validate_json(self._file.readline())

    def __iter__(self) -> Iterator[PreparedPair]:
        """All pairs by their places; each one is read when it is asked for."""
        return (self[place] for place in range(len(self)))


@contextmanager
def stored(folder: Path) -> Iterator[Stored]:
    """An empty one, on the disk of an existing folder. Nothing of it is left at the end, even if the process is killed.

    Raises:
        PrbgenError: the disk refuses.
    """
    try:
        file = TemporaryFile(dir=folder)  # noqa: SIM115 - only its making is the disk's fault
    except OSError as error:
        raise cannot_write(folder, error) from None
    try:
        yield Stored(file, folder)
    finally:
        # What a full disk did not take has been said already.
        with suppress(OSError):
            file.close()
