"""Chance that comes out the same each time: all of it is made from the seed and from what is drawn for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from random import Random
from typing import TypeVar

T = TypeVar("T")


def digits(*words: object) -> str:
    """16 hex digits that these words always give."""
    return blake2b("\x1f".join(map(str, words)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def chance(*words: object) -> Random:
    """A generator that these words always give."""
    return Random(digits(*words))  # noqa: S311 - nothing here is a secret


def mixed(groups: Iterable[Sequence[T]], rng: Random) -> list[T]:
    """The members of all groups in one row, each group's own in their order.

    Any beginning of the row holds about the same share of every group, yet they follow each other in no fixed rhythm.
    """
    placed = [((place + rng.random()) / len(group), member) for group in groups for place, member in enumerate(group)]
    return [member for _, member in sorted(placed, key=lambda each: each[0])]
