"""RESULTS: a folder with what one evaluation found, and how it is read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from prbgen.errors import InputError
from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.summary import Summary
from prbgen.kept_folder import kept_folder
from prbgen.run import read_record, read_records, write_record


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

    def locked(self) -> AbstractContextManager[None]:
        """Keep the folder to this process; it is made where there is none.

        Raises:
            InputError: another process is at work in it, it cannot be written, or it holds something else.
        """
        return kept_folder(self.folder, "results", self.journal)

    def write(self, summary: Summary) -> None:
        """Renew the figures."""
        write_record(self.summary_file, summary)

    def summary(self) -> Summary:
        """The figures.

        Raises:
            InputError: there are none, or they are no summary.
        """
        return read_record(self.summary_file, Summary, "prbgen evaluate")

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
