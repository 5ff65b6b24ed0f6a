"""The files of a round that a pull writes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from prbgen.annotation.campaign import Place
from prbgen.annotation.ratings.unsubmitted import Unsubmitted
from prbgen.run import as_line, cannot_write, whole_file
from prbgen.schema import Rating, Record


def write(place: Place, ratings: Iterable[Rating], unsubmitted: Iterable[Unsubmitted]) -> None:
    """Write ratings.jsonl and unsubmitted.jsonl, each whole or not at all.

    Raises:
        PrbgenError: the folder cannot be written to.
    """
    try:
        place.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(place.folder, error) from None
    _write(place.ratings, ratings)
    _write(place.unsubmitted, unsubmitted)


def _write(path: Path, records: Iterable[Record]) -> None:
    with whole_file(path) as file:
        file.writelines(map(as_line, records))
