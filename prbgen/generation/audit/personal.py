"""Personal data that the rows may hold: in how many, and examples of them."""

from __future__ import annotations

from collections import Counter

from prbgen.generation.audit.results import Personal
from prbgen.personal_data.columns import COLUMNS, KINDS, PersonalColumns
from prbgen.schema import PreferencePair

_EXAMPLES = 5


class PersonalData:
    """Takes rows one by one."""

    def __init__(self) -> None:
        self._columns = PersonalColumns()
        self._rows: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], dict[str, None]] = {}

    def add(self, pair: PreferencePair) -> None:
        """Look through the texts of a row."""
        for column, kind in self._columns.of(pair):
            self._rows[kind, column] += 1
            examples = self._examples.setdefault((kind, column), {})
            if len(examples) < _EXAMPLES:
                examples[pair.id] = None

    def found(self) -> tuple[Personal, ...]:
        """What was found so far, by kind and column; nothing for those where nothing was."""
        return tuple(
            Personal(kind, column, self._rows[kind, column], tuple(self._examples[kind, column]))
            for kind in KINDS
            for column in COLUMNS
            if (kind, column) in self._rows
        )
