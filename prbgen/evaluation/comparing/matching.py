"""Which of the old things is which of the new ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
Level = Callable[[T], Hashable | None]


@dataclass(frozen=True)
class Matched(Generic[T]):
    """`both` are old and new ones that belong together, each with the number of the level at which they were found."""

    both: list[tuple[T, T, int]]
    only_old: list[T]
    only_new: list[T]


def matched(old: Iterable[T], new: Iterable[T], levels: Sequence[Level[T]]) -> Matched[T]:
    """Join by one level after the other, from the surest on: two belong together if nothing else on either side has
    their key. A key that is null joins nothing.
    """
    both: list[tuple[T, T, int]] = []
    olds, news = list(old), list(new)
    for number, level in enumerate(levels):
        mine, theirs = _by_key(olds, level), _by_key(news, level)
        pairs = {
            places[0]: theirs[key][0]
            for key, places in mine.items()
            if len(places) == 1 and len(theirs.get(key, ())) == 1
        }
        both += [(olds[one], news[two], number) for one, two in pairs.items()]
        taken = set(pairs.values())
        olds = [each for place, each in enumerate(olds) if place not in pairs]
        news = [each for place, each in enumerate(news) if place not in taken]
    return Matched(both, olds, news)


def _by_key(things: Sequence[T], level: Level[T]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, thing in enumerate(things):
        if (key := level(thing)) is not None:
            places[key].append(place)
    return places
