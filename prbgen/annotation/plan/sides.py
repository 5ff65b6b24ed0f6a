"""On which side an answer stands: as often on A as on B, in an order that tells nothing."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from prbgen.schema import Shown


def balanced(count: int, frozen: Sequence[Shown | None], rng: Random) -> list[Shown]:
    """Sides for `count` more answers, such that together with the frozen ones they differ by one at most.

    Where the frozen ones lean too far for that, all go to the other side.
    """
    total = frozen.count("A") + frozen.count("B") + count
    half = total // 2 + (total % 2 and rng.randrange(2))
    on_a = min(count, max(0, half - frozen.count("A")))
    sides: list[Shown] = ["A" if place < on_a else "B" for place in range(count)]
    rng.shuffle(sides)
    return sides
