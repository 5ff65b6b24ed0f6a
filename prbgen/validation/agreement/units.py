"""Answers to a question as raters saw it, in the form that coefficients are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prbgen.annotation.rated import Scale
from prbgen.schema import Rating
from prbgen.validation.pairs import RatedPair

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Answers:
    """What was said of each unit, one entry for a rater and a unit, in the order of units, then raters.

    `unit`, `rater` and `value` have an entry's numbers, all from 0: of its unit, its rater and its place among the
    `categories` that could be answered, which have an order if `ordinal`. `user` has the number of the asker of each
    unit. Every unit, rater and user has an entry. `given` counts answers as raters gave them: one of aspects has an
    entry for each aspect.
    """

    unit: Ints
    rater: Ints
    value: Ints
    user: Ints
    categories: int
    ordinal: bool
    given: int

    @property
    def raters(self) -> int:
        """How many raters there are."""
        return int(self.rater.max(initial=-1)) + 1

    @property
    def users(self) -> int:
        """How many users the units are of."""
        return int(self.user.max(initial=-1)) + 1

    @property
    def counts(self) -> Ints:
        """How often each category was said of each unit: (units, categories)."""
        cells = len(self.user) * self.categories
        flat = np.bincount(self.unit * self.categories + self.value, minlength=cells)
        return flat.reshape(len(self.user), self.categories)


def answered(scale: Scale, ratings: Iterable[Rating], pairs: Mapping[str, RatedPair]) -> Answers:
    """The answers to the question of `scale`; "can't tell" is none.

    A unit is an answer as shown (an item's A or B) if the question is about each, an item if it is about both, and an
    aspect of an answer as shown if raters tick aspects. What counts is where an answer stood, not which one it was:
    where nearly all prefer the chosen one, its label hardly varies and alpha would be low at any agreement.
    """
    given = [rating for rating in ratings if rating.value is not None]
    given.sort(key=lambda rating: (rating.item, rating.shown or "", rating.rater))
    raters = _numbers(rating.rater for rating in given)
    users = _numbers(pairs[str(rating.pair_id)].user_key for rating in given)
    units: list[int] = []
    said: list[int] = []
    who: list[int] = []
    askers: list[int] = []
    first, end, before = 0, 0, None
    for rating in given:
        pair = pairs[str(rating.pair_id)]
        values = _values(scale, rating, pair)
        if before != (rating.item, rating.shown):
            before, first, end = (rating.item, rating.shown), end, end + len(values)
            askers.extend([users[pair.user_key]] * len(values))
        units.extend(range(first, end))
        said.extend(values)
        who.extend([raters[rating.rater]] * len(values))
    unit, rater, value = (np.array(each, dtype=np.int64) for each in (units, who, said))
    order = np.lexsort((rater, unit))
    return Answers(
        unit=unit[order],
        rater=rater[order],
        value=value[order],
        user=np.array(askers, dtype=np.int64),
        categories={"rating": len(scale.marks), "choice": len(scale.options), "aspects": 2}[scale.kind],
        ordinal=scale.kind == "rating",
        given=len(given),
    )


def _values(scale: Scale, rating: Rating, pair: RatedPair) -> list[int]:
    """What a rating says of each unit that it is about, as places among the categories."""
    value = rating.value
    if isinstance(value, tuple):
        return [int(number in value) for number in range(1, pair.aspects + 1)]
    return [scale.options.index(value) if isinstance(value, str) else scale.marks.index(int(value or 0))]


def _numbers(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(sorted(set(names)))}
