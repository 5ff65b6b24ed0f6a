"""Two results on the same things: each pair, or each question, with what both made of it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import lcm
from sys import intern

import numpy as np
from numpy.typing import NDArray

from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.metrics.columns import OUTCOMES, UNSCORED, WIN, Coder, Ints, Labels, margin_of

# Shares of wins that many numbers of pairs lead to are rounded to this part of a whole: sums stay small.
_FINEST = 10_000

Key = Callable[[ScoredItem], str]


def by_pair(item: ScoredItem) -> str:
    """The same pair."""
    return item.key


def by_question(item: ScoredItem) -> str:
    """The same question, whoever wrote the answers."""
    return item.question_key


@dataclass(frozen=True)
class _Things:
    """What keys stand for, each one pair as a rule, several of a question: sorted, with the place of its first user,
    how many of its pairs were scored, and how many of those were won.
    """

    keys: tuple[str, ...]
    user: Ints
    scored: Ints
    wins: Ints


@dataclass(frozen=True, eq=False)
class Judged:
    """What one evaluation made of n pairs; read once, compared with as many others as need be.

    `keys` (n,) join them with those of others; they are sorted, those of several pairs of a question stand together.
    `outcome` (n,) is a place in `OUTCOMES`, `margin` (n,) as in `Columns`, NaN also for unscored pairs.
    """

    keys: tuple[str, ...]
    user: Labels
    outcome: NDArray[np.int8]
    margin: NDArray[np.float64]

    @classmethod
    def of(cls, items: Iterable[ScoredItem], key: Key = by_pair) -> Judged:
        """Take the pairs one by one; none of them is kept."""
        keys, user, outcome, margin = list[str](), Coder(), array("b"), array("d")
        for item in items:
            # Results on the same pairs share these.
            keys.append(intern(key(item)))
            user.add(intern(item.user_key))
            outcome.append(OUTCOMES.index(item.outcome))
            margin.append(np.nan if item.outcome == "unscored" else margin_of(item))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        users = user.labels()
        return cls(
            keys=tuple(keys[place] for place in order),
            user=Labels(users.names, users.codes[order]),
            outcome=np.array(outcome, dtype=np.int8)[order],
            margin=np.array(margin, dtype=np.float64)[order],
        )

    def __len__(self) -> int:
        """How many things the keys name."""
        return len(self._things.keys)

    @property
    def accuracy(self) -> float | None:
        """The share of wins among all scored pairs; null if there are none."""
        scored = int((self.outcome != UNSCORED).sum())
        return int((self.outcome == WIN).sum()) / scored if scored else None

    def shares(self, other: Judged) -> bool:
        """Whether any key is in both."""
        return not set(self.keys).isdisjoint(other.keys)

    def joined(self, other: Judged) -> Joined:
        """What both scored, and how much else there is.

        Things that no pair of was scored stay unknown. If a key names several pairs, its value is their share of wins.
        """
        mine, theirs = self._things, other._things
        one, two = _common(mine.keys, theirs.keys)
        common = len(one)
        scored = (mine.scored[one] > 0) & (theirs.scored[two] > 0)
        one, two = one[scored], two[scored]
        whole = min(_FINEST, lcm(*np.unique([mine.scored[one], theirs.scored[two]]).tolist()))
        return Joined(
            first=_parts(mine.wins[one], mine.scored[one], whole),
            second=_parts(theirs.wins[two], theirs.scored[two], whole),
            whole=whole,
            user=np.unique(mine.user[one], return_inverse=True)[1].astype(np.int64),
            unscored=common - len(one),
            only_first=len(mine.keys) - common,
            only_second=len(theirs.keys) - common,
        )

    @cached_property
    def _things(self) -> _Things:
        first = [place for place, key in enumerate(self.keys) if not place or key != self.keys[place - 1]]
        starts = np.array(first, dtype=np.int64)
        return _Things(
            keys=self.keys if len(first) == len(self.keys) else tuple(self.keys[place] for place in first),
            user=self.user.codes[starts],
            scored=np.add.reduceat((self.outcome != UNSCORED).astype(np.int64), starts),
            wins=np.add.reduceat((self.outcome == WIN).astype(np.int64), starts),
        )


def _common(mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Where the keys that are in both stand in the one and in the other."""
    if mine == theirs:
        return np.arange(len(mine)), np.arange(len(mine))
    place = {key: at for at, key in enumerate(theirs)}
    both = np.array([(at, place[key]) for at, key in enumerate(mine) if key in place], dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _parts(wins: Ints, scored: Ints, whole: int) -> Ints:
    return np.rint(wins * whole / scored).astype(np.int64)


@dataclass(frozen=True)
class Joined:
    """What two results made of n things: `first` and `second` (n,) in parts of `whole`, `user` (n,) who asked, as the
    first says, as a number from 0.

    `whole` is 1 if every thing is one pair. `unscored` counts those of both that one or both left unscored.
    """

    first: Ints
    second: Ints
    whole: int
    user: Ints
    unscored: int
    only_first: int
    only_second: int

    @property
    def n(self) -> int:
        """How many things."""
        return len(self.first)

    @property
    def gap(self) -> Ints:
        """How much higher the second is than the first (n,), in parts of `whole`."""
        return self.second - self.first

    @property
    def gap_by_user(self) -> Ints:
        """The sum of each user's gaps (users,)."""
        sums = np.zeros(int(self.user.max(initial=-1)) + 1, dtype=np.int64)
        np.add.at(sums, self.user, self.gap)
        return sums
