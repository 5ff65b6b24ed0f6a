"""What a policy on this machine has written, on disk as soon as it is known."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from prbgen.downstream.candidates import Candidate
from prbgen.errors import InputError, PrbgenError

_TABLE = """
CREATE TABLE IF NOT EXISTS written (
    work TEXT NOT NULL, sample INTEGER NOT NULL, text TEXT, truncated INTEGER NOT NULL, reason TEXT,
    PRIMARY KEY (work, sample)
) WITHOUT ROWID;
"""


class WrittenFile:
    """Candidates by what they answer (`work`, a hash) and their number.

    One process at a time uses it; the caller sees to it. Every method raises InputError if the file is something else
    or damaged, PrbgenError if the disk refuses.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Self:
        """Open it, or begin it."""
        with self._told():
            self._file = sqlite3.connect(self._path, isolation_level=None)
            try:
                self._file.execute("PRAGMA journal_mode=WAL")
                # Safe from a killed process; a power cut may cost the latest texts, which are then written again.
                self._file.execute("PRAGMA synchronous=NORMAL")
                self._file.executescript(_TABLE)
            except sqlite3.Error:
                self._file.close()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def get(self, work: str, n: int) -> dict[int, Candidate]:
        """Which of the first n candidates have been written."""
        query = "SELECT sample, text, truncated, reason FROM written WHERE work = ? AND sample < ?"
        with self._told():
            rows = self._file.execute(query, (work, n)).fetchall()
        return {row[0]: Candidate(text=row[1], truncated=bool(row[2]), reason=row[3]) for row in rows}

    def add(self, work: str, samples: Sequence[tuple[int, Candidate]]) -> None:
        """Keep candidates with their numbers: all of them, or none."""
        rows = [(work, number, each.text, each.truncated, each.reason) for number, each in samples]
        with self._told(), self._file:
            self._file.execute("BEGIN")
            self._file.executemany("INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?)", rows)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            what = f"{self._path}: cannot be written ({error}); make room or mend it, then run the same command"
            raise PrbgenError(what) from None
        except (sqlite3.DatabaseError, ValueError) as error:
            what = f"{self._path}: is no file of answers, or damaged ({error}); move it away to write anew"
            raise InputError(what) from None
