"""A table on disk of what has been done, for work that is not to be done twice, whatever kills the process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

from prbgen.errors import InputError, PrbgenError


class KeptTable:
    """An SQLite file that is opened or begun by `with`. A subclass says what is in it.

    One process at a time uses it; the caller sees to it. Every method raises InputError if the file is something else,
    damaged or a newer prbgen's, PrbgenError if the disk refuses.
    """

    # What it keeps, and how that is done: for messages.
    what: ClassVar[str]
    verb: ClassVar[str]
    # The statements that make the tables, and the name of one that all files of this kind have had from the beginning.
    tables: ClassVar[str]
    sign: ClassVar[str]
    # Counted up when an earlier prbgen could no longer read the file. Files from before it was counted say 0.
    version: ClassVar[int] = 1

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        with self._told():
            self._file = sqlite3.connect(self.path, isolation_level=None)
            try:
                self._refuse_another()
                self._file.execute("PRAGMA journal_mode=WAL")
                # Safe from a killed process; a power cut may cost what came last, which is then done again.
                self._file.execute("PRAGMA synchronous=NORMAL")
                self._file.executescript(self.tables)
                self._take_over()
                self._file.execute(f"PRAGMA user_version={self.version}")
            except (sqlite3.Error, PrbgenError):
                self._file.close()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _take_over(self) -> None:
        """Bring over what an earlier prbgen kept in another form."""

    def _refuse_another(self) -> None:
        """A database of another kind (a ledger, say) is left as it is."""
        names = {name for (name,) in self._file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if names and self.sign not in names:
            raise sqlite3.DatabaseError("a database of something else")
        (version,) = self._file.execute("PRAGMA user_version").fetchone()
        if version > self.version:
            raise InputError(f"{self.path}: written by a newer prbgen (version {version} of this file); upgrade prbgen")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say what SQLite and JSON say in one line."""
        try:
            yield
        except sqlite3.OperationalError as error:
            what = f"{self.path}: cannot be written ({error}); make room or mend it, then run the same command"
            raise PrbgenError(what) from None
        except (sqlite3.DatabaseError, ValueError) as error:
            what = f"{self.path}: is no file of {self.what}, or damaged ({error}); move it away to {self.verb} anew"
            raise InputError(what) from None
