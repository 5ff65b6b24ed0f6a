"""Ratings of this pull laid over those of the pulls before: nothing that anyone ever said is lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

from prbgen.annotation.form.asked import Form
from prbgen.annotation.items import Item
from prbgen.annotation.ratings.order import Order
from prbgen.annotation.ratings.unsubmitted import Unsubmitted
from prbgen.schema import Rating

# The (rater, item) that a pull speaks of; of others it knows nothing. Null: it speaks of all.
Scope = Collection[tuple[str, str]] | None

R = TypeVar("R", Rating, Unsubmitted)


@dataclass(frozen=True)
class Merged:
    """All ratings there ever were, in order, and how many are new (or back again), replaced, withdrawn, unchanged.

    The counts are of what holds now, or held before this pull; what was gone before is in none of them.
    """

    ratings: tuple[Rating, ...]
    new: int
    replaced: int
    withdrawn: int
    unchanged: int


def merged(
    earlier: Iterable[Rating], now: Iterable[Rating], form: Form, items: Iterable[Item], scope: Scope = None
) -> Merged:
    """Lay the ratings of this pull, all of them within its scope, over the earlier ones.

    Earlier ratings outside the scope stay as they are; those that hold count as unchanged. Within it, an earlier rating
    that is not there any more stays, gone: "replaced" if its question has an answer of another value or time, else
    "withdrawn". One that is back as it was is not gone any more. Merging the same again changes nothing.
    """
    order = Order(form, items)
    touched, kept = _parted(earlier, scope)
    current = {_identity(rating): rating for rating in now}
    answered = {_place(rating) for rating in current.values()}
    # Sorted, so that what comes of a damaged file does not depend on the order of its lines.
    before = {_identity(rating): rating for rating in sorted(touched, key=order.of)}
    held = {identity for identity, rating in before.items() if rating.gone is None}
    asked_before = {_place(before[identity]) for identity in held}
    replaced = sum(_place(before[identity]) in answered for identity in held - current.keys())
    past = (
        rating
        if rating.gone
        else rating.model_copy(update={"gone": "replaced" if _place(rating) in answered else "withdrawn"})
        for identity, rating in before.items()
        if identity not in current
    )
    return Merged(
        ratings=tuple(sorted((*current.values(), *past, *kept), key=order.of)),
        new=len(answered - asked_before),
        replaced=replaced,
        withdrawn=len(held - current.keys()) - replaced,
        unchanged=len(held & current.keys()) + sum(rating.gone is None for rating in kept),
    )


def merged_unsubmitted(
    earlier: Iterable[Unsubmitted], now: Iterable[Unsubmitted], items: Iterable[Item], scope: Scope = None
) -> list[Unsubmitted]:
    """What this pull found begun or put aside, and what earlier ones found outside its scope.

    In the order of the items, then by rater.
    """
    places = {item.id: place for place, item in enumerate(items)}
    lines = (*now, *_parted(earlier, scope)[1])
    return sorted(
        lines, key=lambda each: (places.get(each.item, len(places)), each.item, each.rater, each.model_dump_json())
    )


def _parted(earlier: Iterable[R], scope: Scope) -> tuple[list[R], list[R]]:
    """What is within the scope, and what is outside."""
    if scope is None:
        return list(earlier), []
    pairs = frozenset(scope)
    parts: tuple[list[R], list[R]] = ([], [])
    for each in earlier:
        parts[(each.rater, each.item) not in pairs].append(each)
    return parts


def _place(rating: Rating) -> tuple[object, ...]:
    return (rating.item, rating.rater, rating.senior, rating.question, rating.shown)


def _identity(rating: Rating) -> tuple[object, ...]:
    return (*_place(rating), rating.value, rating.submitted_at)
