"""Records, pairs mostly, on disk that vanish with the block that made them: memory stays flat whatever their number."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Generic, TypeAlias, TypeVar

from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.run import as_line, cannot_write
from prbgen.schema import Record

R = TypeVar("R", bound=Record)

_NOWHERE = -1


class StoredRecords(Generic[R]):
    """Records by their places, from 0, in a nameless file of JSON lines. One thread at a time may use it."""

    def __init__(self, file: IO[bytes], folder: Path, kind: type[R]) -> None:
        self._file, self._folder, self._kind = file, folder, kind
        self._starts = array("q")

    def put(self, place: int, record: R) -> None:
        """Keep a record; places may come in any order.

        Raises:
            PrbgenError: the disk refuses.
        """
        try:
            start = self._file.seek(0, 2)
            self._file.write(as_line(record).encode())
            self._file.flush()
        except OSError as error:
            raise cannot_write(self._folder, error) from None
        self._starts.extend([_NOWHERE] * (place + 1 - len(self._starts)))
        self._starts[place] = start

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, place: int) -> R:
        self._file.seek(self._starts[place])
        return self._kind.model_validate_json(self._file.readline())

    def __iter__(self) -> Iterator[R]:
        """All records by their places; each one is read when it is asked for."""
        return (self[place] for place in range(len(self)))


Stored: TypeAlias = StoredRecords[PreparedPair]


def stored(folder: Path) -> AbstractContextManager[Stored]:
    """An empty one for pairs: see `stored_records`."""
    return stored_records(folder, PreparedPair)


@contextmanager
def stored_records(folder: Path, kind: type[R]) -> Iterator[StoredRecords[R]]:
    """An empty one, on the disk of an existing folder. Nothing of it is left at the end, even if the process is killed.

    Raises:
        PrbgenError: the disk refuses.
    """
    try:
        file = TemporaryFile(dir=folder)  # noqa: SIM115 - only its making is the disk's fault
    except OSError as error:
        raise cannot_write(folder, error) from None
    try:
        yield StoredRecords(file, folder, kind)
    finally:
        # What a full disk did not take has been said already.
        with suppress(OSError):
            file.close()
