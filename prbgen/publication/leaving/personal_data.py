"""What looks like personal data in the pairs: how often in which column, and every place."""

from __future__ import annotations

from collections.abc import Iterable

from prbgen.personal_data.columns import COLUMNS, KINDS, PersonalColumns, PersonalKind
from prbgen.schema import Pair, Record


class PersonalPlace(Record):
    """Where something looks like personal data."""

    pair_id: str
    column: str
    kind: PersonalKind


class PersonalReport(Record):
    """What looks like personal data; the text itself is not given, as a report must not spread it.

    `counts` {column: {kind: pairs}} also has what was looked for in vain; `places` are all, in the order of the pairs.
    """

    pairs: int
    counts: dict[str, dict[PersonalKind, int]]
    places: tuple[PersonalPlace, ...]

    @property
    def found(self) -> tuple[tuple[str, str, int], ...]:
        """What was found: column, kind and pairs."""
        return tuple(
            (column, kind, count) for column, kinds in self.counts.items() for kind, count in kinds.items() if count
        )


def personal_report(pairs: Iterable[Pair]) -> PersonalReport:
    """Look through all texts of the pairs that are published, one pair at a time."""
    counts: dict[str, dict[PersonalKind, int]] = {column: dict.fromkeys(KINDS, 0) for column in COLUMNS}
    places: list[PersonalPlace] = []
    columns, count = PersonalColumns(), 0
    for pair in pairs:
        count += 1
        for column, kind in columns.of(pair):
            counts[column][kind] += 1
            places.append(PersonalPlace(pair_id=pair.pair_id, column=column, kind=kind))
    return PersonalReport(pairs=count, counts=counts, places=tuple(places))
