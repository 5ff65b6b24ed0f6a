"""Rated rounds by hand: a table of what each rater said of each unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from prbgen.annotation.rated import Care, RatedRound, Scale
from prbgen.recipe import AnnotationSettings
from prbgen.schema import ItemKind, Rating, Shown
from prbgen.validation.agreement.units import Answers
from prbgen.validation.pairs import RatedPair

MARKS = Scale("helpfulness", "rating", marks=(1, 2, 3, 4, 5))
BETTER = Scale("better", "choice", options=("A", "B", "equal"))
COVERS = Scale("covers", "aspects")

# The worked example of Krippendorff (2011), "Computing Krippendorff's alpha-reliability", four observers of twelve
# units; null is missing. Gwet (2014) and irrCAC (raw_4raters) use the same.
EXAMPLE: list[list[int | None]] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def table(
    said: Sequence[Sequence[int | None]], categories: int, *, ordinal: bool, users: Sequence[int] = ()
) -> Answers:
    """What raters (rows) said of units (columns), as numbers of categories from 0; units nobody rated are left out."""
    units = [unit for unit in range(len(said[0])) if any(row[unit] is not None for row in said)]
    raters = [number for number, row in enumerate(said) if any(value is not None for value in row)]
    entries = [
        (number, rater, mark)
        for number, unit in enumerate(units)
        for rater, row in enumerate(raters)
        if (mark := said[row][unit]) is not None
    ]
    unit, rater, value = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    asked = np.array([users[unit] if users else number for number, unit in enumerate(units)], dtype=np.int64)
    _, user = np.unique(asked, return_inverse=True)
    return Answers(unit, rater, value, user, categories, ordinal, len(entries))


def example(*, ordinal: bool = False) -> Answers:
    return table([[None if value is None else value - 1 for value in row] for row in EXAMPLE], 5, ordinal=ordinal)


def pair(pair_id: str, user: str | None = None, subset: str = "arts", aspects: int = 3) -> RatedPair:
    nothing = (None, None)
    return RatedPair(pair_id, user or f"user of {pair_id}", subset, aspects, (80, 80), nothing, nothing)


def pairs_by_id(*pairs: RatedPair) -> dict[str, RatedPair]:
    return {each.pair_id: each for each in pairs}


def rating(
    rater: str, pair_id: str, question: str, value: Any, shown: Shown | None = None, kind: ItemKind = "pair"
) -> Rating:
    label: Literal["chosen"] | None = "chosen" if kind == "pair" else None
    return Rating(
        round="quality",
        pair_id=pair_id,
        item=f"{kind} {pair_id}",
        kind=kind,
        rater=rater,
        senior=False,
        question=question,
        shown=shown,
        label=label,
        value=value,
        submitted_at=None,
    )


def care(rater: str, **known: Any) -> Care:
    return replace(Care(rater, items=10, gold_right=0, gold_done=0, median_seconds=None, again={}), **known)


def rated_round(
    scales: Iterable[Scale],
    ratings: Iterable[Rating],
    pairs: Mapping[str, RatedPair],
    raters: Iterable[Care] = (),
    **bar: Any,
) -> RatedRound:
    given = tuple(ratings)
    known = tuple(raters) or tuple(care(name) for name in sorted({each.rater for each in given}))
    return RatedRound(
        round="quality",
        settings=AnnotationSettings(**bar),
        scales=tuple(scales),
        pairs=frozenset(pairs),
        ratings=given,
        senior=(),
        raters=known,
        uncounted={},
    )
