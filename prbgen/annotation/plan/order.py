"""Where gold and repeated items stand among the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random


def gold_places(count: int, length: int, rng: Random) -> list[int]:
    """`count` of `length` places, in order: one at random in each of as many equal stretches."""
    edges = [number * length // count for number in range(count + 1)] if count else []
    return [rng.randrange(start, end) for start, end in pairwise(edges)]


def repeat_places(places: Sequence[int], count: int, length: int, rng: Random) -> list[tuple[int, int]]:
    """Which of the items at `places` (in order) are repeated and where: (place, place of the repeat), `count` of them.

    `length` counts the repeats as well. A repeat comes at least half the length later, or as far as there is room. No
    repeat comes before an item that is repeated, so that those stay where they are.
    """
    if not count:
        return []
    # Enough places must lie so far before the end.
    far = min(length // 2, length - 1 - places[count - 1])
    firsts = sorted(rng.sample([place for place in places if place + far < length], count), reverse=True)
    free: list[int] = []
    end = length
    pairs: list[tuple[int, int]] = []
    # The last one first: it has the fewest places to choose from, and they are open to all others.
    for first in firsts:
        start = max(firsts[0] + 1, first + far)
        free.extend(range(start, end))
        end = start
        pairs.append((first, free.pop(rng.randrange(len(free)))))
    return pairs
