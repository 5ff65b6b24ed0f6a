"""Does `datasets` give back the pairs of a run, row by row?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.errors import PrbgenError
from prbgen.publication.features import COLUMNS, features
from prbgen.publication.leaving.declared import DeclaredSplit, declared_splits
from prbgen.publication.leaving.loaded import loaded
from prbgen.publication.names import ALL
from prbgen.publication.selection import Selection
from prbgen.publication.sums import check_sums
from prbgen.schema import Pair

if TYPE_CHECKING:
    from datasets import Dataset

Place = tuple[str, str]
# Rows of a config that holds no pairs.
Rows = Callable[[], Iterable[Mapping[str, Any]]]


def check_rows(folder: Path, selection: Selection, others: Mapping[Place, Rows] | None = None) -> None:
    """Compare every config and split that the card declares, as `datasets` loads it, with the pairs of a run.

    Each published pair must stand in exactly one row of its subset's config, in the order of the pairs, and of `all`,
    subset by subset in the order of the card; nothing else may. Memory does not grow with texts. Also the hashes of
    files are compared.

    Args:
        folder: The staged dataset.
        selection: The pairs that are published, and their splits.
        others: {(config, split): rows} of declared configs that hold no pairs, such as ratings.

    Raises:
        PrbgenError: anything differs; it names config, split, row (from 0), pair_id and column. Such a folder must not
            be published.
    """
    check_sums(folder)
    splits = declared_splits(folder)
    others = others or {}
    of_pairs = tuple(each for each in splits if (each.config, each.split) not in others)
    _check_files(folder, splits)
    for place in others.keys() - {(each.config, each.split) for each in splits}:
        raise PrbgenError(f"{folder}: the card declares no config {place[0]!r} with split {place[1]!r}")
    with loaded(folder, splits) as rows:
        compared = _Compared(folder, rows, _starts_in_all(folder, of_pairs, rows))
        for pair, split in selection.placed():
            if split is not None:
                compared.add(pair, split)
        compared.end({(each.config, each.split) for each in of_pairs})
        for place, expected in others.items():
            _compare_others(folder, place, rows[place], expected())


def _check_files(folder: Path, splits: tuple[DeclaredSplit, ...]) -> None:
    """Data that no config declares would be published, and checked by nothing."""
    used = {file for each in splits for file in each.files}
    for path in sorted(folder.rglob("*.parquet")):
        name = path.relative_to(folder).as_posix()
        if name not in used:
            raise PrbgenError(f"{folder}: {name} belongs to no config of the card; stage the dataset again")


def _starts_in_all(folder: Path, splits: tuple[DeclaredSplit, ...], rows: Mapping[Place, Dataset]) -> dict[Place, int]:
    """{(subset, split): its first row in that split of `all`}."""
    place_of: dict[str, Place] = {}
    for each in splits:
        if each.config != ALL:
            if len(each.files) != 1 or each.files[0] in place_of:
                raise PrbgenError(f"{folder}: config {each.config!r}, split {each.split!r}: one file of its own is due")
            place_of[each.files[0]] = each.config, each.split
    starts: dict[Place, int] = {}
    for each in splits:
        if each.config == ALL:
            start = 0
            for file in each.files:
                place = place_of.get(file)
                if place is None or place[1] != each.split or place in starts:
                    raise PrbgenError(f"{folder}: config 'all', split {each.split!r}: {file} is of no subset, or twice")
                starts[place] = start
                start += rows[place].num_rows
    return starts


class _Compared:
    """Takes the published pairs in order and holds each against its two rows."""

    def __init__(self, folder: Path, rows: Mapping[Place, Dataset], starts: Mapping[Place, int]) -> None:
        self._folder = folder
        self._rows = rows
        self._starts = starts
        self._next: Counter[Place] = Counter()
        self._in_all: defaultdict[str, int] = defaultdict(int)

    def add(self, pair: Pair, split: str) -> None:
        subset = pair.provenance.subset
        place = subset, split
        if place not in self._rows or place not in self._starts:
            raise PrbgenError(
                f"{self._folder}: pair_id {pair.pair_id} is in no row: the card declares no config {subset!r} with"
                f" split {split!r}, or leaves it out of 'all'"
            )
        row = pair.model_dump(mode="json", include=set(COLUMNS))
        _compare(self._folder, place, self._rows[place], self._next[place], row)
        _compare(self._folder, (ALL, split), self._rows[ALL, split], self._starts[place] + self._next[place], row)
        self._next[place] += 1
        self._in_all[split] += 1

    def end(self, places: Collection[Place]) -> None:
        """Nothing may be left over, and all columns must be of the types that the code says."""
        for config, split in sorted(places):
            rows = self._rows[config, split]
            due = self._in_all[split] if config == ALL else self._next[config, split]
            where = _where(self._folder, (config, split))
            if rows.num_rows > due:
                left = rows[due]
                raise PrbgenError(f"{where}, row {due}: pair_id {left.get('pair_id')} is one too many")
            if rows.features != features() or rows.column_names != list(COLUMNS):
                raise PrbgenError(f"{where}: the columns or their types are not those of a published dataset")


def _compare(folder: Path, place: Place, rows: Dataset, number: int, expected: Mapping[str, Any]) -> None:
    pair_id = expected.get("pair_id")
    where = f"{_where(folder, place)}, row {number}, pair_id {pair_id}"
    if number >= rows.num_rows:
        raise PrbgenError(f"{where}: the row is missing")
    row = rows[number]
    if row == expected:
        return
    # Which row it is says more than what differs in it.
    for column in sorted(row.keys() | expected.keys(), key=lambda column: (column != "pair_id", column)):
        if column not in row or column not in expected or row[column] != expected[column]:
            raise PrbgenError(f"{where}: column {column!r} is not what it was made of; stage the dataset again")


def _compare_others(folder: Path, place: Place, rows: Dataset, expected: Iterable[Mapping[str, Any]]) -> None:
    count = 0
    for row in expected:
        _compare(folder, place, rows, count, row)
        count += 1
    if rows.num_rows > count:
        raise PrbgenError(f"{_where(folder, place)}, row {count}: one too many")


def _where(folder: Path, place: Place) -> str:
    return f"{folder}: config {place[0]!r}, split {place[1]!r}"
