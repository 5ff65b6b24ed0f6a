"""Reads pairs of any origin: a run, a dataset on disk or on the Hub, plain chosen / rejected data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

from prbgen.errors import InputError
from prbgen.run import Run
from prbgen.schema import PreferencePair
from prbgen.sources.fields import FaultyRow
from prbgen.sources.files import some
from prbgen.sources.names import Selection, proper_subset
from prbgen.sources.pair_row import COLUMNS, PairRow, read_pair_row
from prbgen.sources.parts import Part, absolute, hub_id, parts_at
from prbgen.sources.rows import read_rows
from prbgen.sources.turns import ANSWER_COLUMNS
from prbgen.sources.users import Users, user_key
from prbgen.text import one_line


def read_pairs(data: str, *, subsets: Sequence[str] = (), split: str = "") -> Iterator[PreferencePair]:
    """The pairs at one place, in source order: see `PairSource`.

    Raises:
        InputError: there is nothing to read, or a row is no pair; before any pair is given out.
    """
    yield from PairSource.at(data, subsets=subsets, split=split).read()


@dataclass(frozen=True)
class PairSource:
    """Where pairs are, and which of them are asked for. `name` is that of the folder, the file or the dataset."""

    name: str
    parts: tuple[Part, ...]
    selection: Selection

    @classmethod
    def at(cls, data: str, *, subsets: Sequence[str] = (), split: str = "", one_split: bool = False) -> Self:
        """Find out what is to be read; what is on the Hub is fetched.

        Args:
            data: A run, a folder, a file, or a Hub id.
            subsets: Those to read; none means all.
            split: The one to read; "" means all.
            one_split: Where `split` is "" and files of a folder, or on the Hub, are of several splits, read the first
                one that people have validated. A run, and a file, is read whole: whoever names it knows what it holds.

        Raises:
            InputError: there is no such thing, or nothing in it that is asked for.
        """
        selection = Selection.of_pairs(subsets, split, one_split=one_split)
        repo = hub_id(data)
        name = repo or absolute(data).name or data
        return cls(one_line(name), tuple(parts_at(data if repo else _run_pairs(data), selection)), selection)

    def has_answers(self) -> bool:
        """Whether these are pairs; else they may be questions that nobody has answered yet. The first row decides."""
        for part in self.parts:
            for raw in read_rows(part.path, part.label):
                return not isinstance(raw.value, dict) or any(name in raw.value for name in ANSWER_COLUMNS)
        return True

    def read(self) -> Iterator[PreferencePair]:
        """The pairs, in source order. Everything is read twice, as users can only be told when all has been seen.

        A row's own `user_key` is kept. No more than a few rows are in memory at a time.

        Raises:
            InputError: a row is no pair, or there is none of those asked for; before any pair is given out.
        """
        for _, pair in self.read_with_places():
            yield pair

    def read_with_places(self) -> Iterator[tuple[str, PreferencePair]]:
        """The same, each pair with its place ("FILE:line 12")."""
        found, users = _Found(), _PairUsers()
        for placed in self._asked_for(found):
            users.add(placed)
        self._refuse_what_is_not_there(found)
        keys = iter(users.keys())
        for placed in self._asked_for(_Found()):
            if (key := next(keys, None)) is None:
                raise self._changed()
            yield self._from_name(placed.where), _preference_pair(placed, key)
        if next(keys, None) is not None:
            raise self._changed()

    def _asked_for(self, found: _Found) -> Iterator[_PlacedPair]:
        for placed in self._all():
            found.splits.add(placed.split)
            if self.selection.takes_split(placed.split):
                found.subsets.add(placed.subset)
                if self.selection.takes(placed.subset):
                    yield placed

    def _all(self) -> Iterator[_PlacedPair]:
        for part in self.parts:
            for raw in read_rows(part.path, part.label, COLUMNS):
                row = FaultyRow((raw.fault,)) if raw.fault else read_pair_row(raw.value, raw.unread)
                if isinstance(row, FaultyRow):
                    raise InputError(f"{self._from_name(raw.where)}: {some(row.faults, most=3)}")
                subset = row.origin.subset or part.subset or row.subset or ""
                subset = proper_subset(subset, self.selection.known) or subset
                yield _PlacedPair(row, raw.where, subset, row.origin.split or part.split)

    def _from_name(self, where: str) -> str:
        """A place as errors call it: those in a folder do not begin with its name."""
        return where if where.startswith((f"{self.name}/", f"{self.name}:")) else f"{self.name}/{where}"

    def _changed(self) -> InputError:
        return InputError(f"{self.name}: the data has changed while it was being read: start again")

    def _refuse_what_is_not_there(self, found: _Found) -> None:
        if not found.splits:
            raise InputError(f"{self.name}: no rows")
        if not found.subsets:
            there = _listed(found.splits, "rows of no split")
            raise InputError(f"{self.name}: no split {self.selection.split}; found: {there}")
        missing = [subset for subset in self.selection.subsets if subset not in found.subsets]
        if missing:
            there = _listed(found.subsets, "rows of no subset")
            raise InputError(f"{self.name}: no subset {', '.join(missing)}; found: {there}")


@dataclass(frozen=True, slots=True)
class _Found:
    """The splits that there are, and the subsets of those that are asked for."""

    splits: set[str] = field(default_factory=set)
    subsets: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _PlacedPair:
    """A checked row and its place."""

    row: PairRow
    where: str
    subset: str
    split: str

    @property
    def id(self) -> str:
        return self.row.id or self.where


class _PairUsers:
    """Takes all pairs and tells their users: by a row's own key, else by one made of the user's first pair."""

    def __init__(self) -> None:
        self._users = Users()
        self._own: list[str | None] = []
        self._names: list[str] = []
        self._taken: set[str] = set()

    def add(self, placed: _PlacedPair) -> None:
        row = placed.row
        self._users.add((post.text for post in row.profile or ()), row.turns.question)
        name = row.user_key or user_key(placed.subset, placed.id)
        if name in self._taken and not row.user_key:
            # An id may stand in several splits, and nothing says that it is one user's there.
            name = user_key(placed.subset, placed.where)
        self._taken.add(name)
        self._own.append(row.user_key)
        self._names.append(name)

    def keys(self) -> list[str]:
        firsts = self._users.first_questions()
        return [own or self._names[first] for own, first in zip(self._own, firsts, strict=True)]


def _preference_pair(placed: _PlacedPair, user: str) -> PreferencePair:
    row = placed.row
    return PreferencePair(
        id=placed.id,
        pair_id=row.pair_id,
        question=row.turns.question,
        chosen=row.turns.chosen,
        rejected=row.turns.rejected,
        profile=row.profile,
        rubric_aspects=row.rubric_aspects,
        narrative=row.narrative,
        category=row.category,
        subset=placed.subset,
        split=placed.split,
        user_key=user,
        strategy=row.strategy,
        generator=row.generator,
        calls=row.origin.calls,
        user_known=row.user_key is not None or row.profile is not None,
    )


def _run_pairs(data: str) -> str:
    """The pairs of a run; whatever is no run stays as it is."""
    run = Run(absolute(data))
    if not run.recipe.is_file() or not (run.pairs.is_file() or run.ledger.is_file()):
        return data
    if not run.pairs.is_file():
        raise InputError(f"{data}: this run has no pairs yet; `prbgen generate` makes them")
    return str(run.pairs)


def _listed(names: set[str], none: str) -> str:
    return some([one_line(name) or none for name in sorted(names)], most=20)
