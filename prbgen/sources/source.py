"""What a source of pairs is, and what whoever opens one is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

from prbgen.errors import InputError
from prbgen.schema import PreferencePair
from prbgen.sources.pairs import PairSource


class Source(Protocol):
    """Pairs, or questions without answers, that can be read as often as need be, each with its place."""

    @property
    def name(self) -> str:
        """What errors call it."""
        ...

    def read_with_places(self) -> Iterator[tuple[str, PreferencePair]]:
        """All of it in source order, each with its place ("FILE:line 12").

        Raises:
            InputError: a row cannot be read, or there is none.
        """
        ...


@dataclass(frozen=True)
class Wanted:
    """What `open_source` is asked for; see there."""

    data: str
    subsets: tuple[str, ...]
    split: str
    one_split: bool
    least: int

    @property
    def pairs(self) -> PairSource:
        """The data as a table of pairs; none of its rows has been read.

        Raises:
            InputError: there is no such table, or nothing in it that is asked for.
        """
        if isinstance(self._table, InputError):
            raise self._table
        return self._table

    @property
    def table(self) -> PairSource | None:
        """The same; null where there is none."""
        return None if isinstance(self._table, InputError) else self._table

    @cached_property
    def _table(self) -> PairSource | InputError:
        # Several openers may ask, and what is on the Hub is asked for once.
        try:
            return PairSource.at(self.data, subsets=self.subsets, split=self.split, one_split=self.one_split)
        except InputError as error:
            return error


# Gives null for data that is not of its kind.
Opener: TypeAlias = Callable[[Wanted], Source | None]
