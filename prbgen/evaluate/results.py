"""RESULTS: a folder with what one evaluation found, and how it is read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import ValidationError

from prbgen.errors import InputError
from prbgen.evaluate.item import ScoredItem
from prbgen.evaluate.summary import Summary
from prbgen.run import read_records, whole_file

_LOCK = ".lock"


@dataclass(frozen=True)
class Results:
    """The folder of one evaluation."""

    folder: Path

    @property
    def summary_file(self) -> Path:
        """The figures."""
        return self.folder / "summary.json"

    @property
    def items_file(self) -> Path:
        """One line a pair, in the order of the data."""
        return self.folder / "items.jsonl"

    @property
    def journal(self) -> Path:
        """What has been scored so far."""
        return self.folder / "scores.sqlite"

    @property
    def ledger(self) -> Path:
        """Every call of a scorer that is asked through calls."""
        return self.folder / "ledger.sqlite"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep the folder to this process; it is made where there is none.

        Raises:
            InputError: another process is at work in it, it cannot be written, or it holds something else.
        """
        there = {file.name for file in self.folder.iterdir()} if self.folder.is_dir() else set()
        if there - {_LOCK} and not self.journal.exists():
            raise InputError(f"{self.folder}: is neither empty nor a folder of results; name another one with --out")
        lock = FileLock(self.folder / _LOCK, timeout=0.5)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout:
            raise InputError(f"{self.folder}: another process is writing results there; wait for it") from None
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be a folder of results ({error.strerror})") from None
        try:
            yield
        finally:
            lock.release()
            # Where nothing came of it, nothing stays.
            if {file.name for file in self.folder.glob("*")} == {_LOCK}:
                (self.folder / _LOCK).unlink()
                self.folder.rmdir()

    def write(self, summary: Summary) -> None:
        """Renew the figures."""
        with whole_file(self.summary_file) as file:
            file.write(json.dumps(summary.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n")

    def summary(self) -> Summary:
        """The figures.

        Raises:
            InputError: there are none, or they are no summary.
        """
        try:
            return Summary.model_validate_json(self.summary_file.read_bytes())
        except OSError as error:
            raise InputError(f"{self.summary_file}: {error.strerror}; `prbgen evaluate` writes results") from None
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(map(str, fault["loc"]))
            raise InputError(f"{self.summary_file}: not a summary of results ({where}: {fault['msg']})") from None

    def items(self) -> Iterator[ScoredItem]:
        """The pairs, one by one.

        Raises:
            InputError: the file is missing or damaged.
        """
        return read_records(self.items_file, ScoredItem)


def found_results(places: Iterable[Path]) -> list[Results]:
    """The results at these places, each of them such a folder or one above some; sorted, each one once.

    Raises:
        InputError: there are none at one of them.
    """
    found: dict[Path, Results] = {}
    for place in places:
        if not place.is_dir():
            raise InputError(f"{place}: {'is no folder' if place.exists() else 'there is no such folder'} of results")
        # Below it other tools may have written files of this name, too.
        files = [
            file
            for file in sorted(place.rglob("summary.json"))
            if file.parent == place or Results(file.parent).items_file.is_file()
        ]
        if not files:
            raise InputError(f"{place}: no results in it; `prbgen evaluate` writes them")
        found |= {file.parent.resolve(): Results(file.parent) for file in files}
    return list(found.values())
