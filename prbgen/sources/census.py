"""The first pass over a source: which questions there are, and which of them one user asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prbgen.sources.fields import FaultyRow
from prbgen.sources.lamp_qa import LampQaRow, check_row
from prbgen.sources.names import DEFAULT_SUBSET, Selection, proper_subset
from prbgen.sources.parts import Part
from prbgen.sources.rows import read_rows
from prbgen.sources.users import Users, user_key


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A checked row and its place. `subset` is null where a row cannot be read far enough to tell."""

    row: LampQaRow | FaultyRow
    where: str
    subset: str | None
    split: str


@dataclass(frozen=True)
class Census:
    """What there is in a source.

    `subsets`: those of all rows, asked for or not. Of those asked for, by subset and question id: `first`, the place
    where that stands first, and `users`, the key of who asked it if the row is in order.
    """

    subsets: set[str | None]
    first: dict[tuple[str, str], str]
    users: dict[tuple[str, str], str]


def placed_rows(parts: Iterable[Part], selection: Selection) -> Iterator[PlacedRow]:
    """All rows, checked, in source order."""
    for part in parts:
        for raw in read_rows(part.path, part.label):
            row = FaultyRow((raw.fault,)) if raw.fault else check_row(raw.value)
            subset = part.subset or _own_subset(raw.value, selection)
            yield PlacedRow(row, raw.where, subset, part.split)


def take_census(parts: Iterable[Part], selection: Selection) -> Census:
    """Read everything once. Rows that are faulty, or repeat an id of their subset, do not count for users."""
    subsets: set[str | None] = set()
    first: dict[tuple[str, str], str] = {}
    users = Users()
    askers: list[tuple[str, str]] = []
    for placed in placed_rows(parts, selection):
        subset, row = placed.subset, placed.row
        subsets.add(subset)
        if subset is None or row.id is None or not selection.takes(subset):
            continue
        name = (subset, row.id)
        if first.setdefault(name, placed.where) == placed.where and isinstance(row, LampQaRow):
            users.add(post.text for post in row.profile)
            askers.append(name)
    keys = (user_key(*askers[question]) for question in users.first_questions())
    return Census(subsets, first, dict(zip(askers, keys, strict=True)))


def _own_subset(value: object, selection: Selection) -> str | None:
    """The subset that a row's category says; null where the row or its category cannot be read."""
    category = value.get("category") or "" if isinstance(value, dict) else None
    return (proper_subset(category, selection.known) or DEFAULT_SUBSET) if isinstance(category, str) else None
