"""Scored pairs as columns: some forty bytes a pair, however long its keys are."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from prbgen.evaluation.item import Outcome, ScoredItem

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
WIN, LOSS, TIE, UNSCORED = range(len(OUTCOMES))

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Labels:
    """What each of n pairs is called: `codes` (n,) are places in `names`, which are sorted; -1 is no name."""

    names: tuple[str, ...]
    codes: Ints

    def members(self, most: int) -> dict[str, Ints]:
        """The places of each name's pairs, in the order of names; of more than `most` names those with most pairs."""
        places = np.argsort(self.codes, kind="stable")
        starts = np.searchsorted(self.codes[places], np.arange(len(self.names) + 1))
        largest = np.sort(np.argsort(-np.diff(starts), kind="stable")[:most]).tolist()
        return {self.names[code]: places[starts[code] : starts[code + 1]] for code in largest}


@dataclass(frozen=True)
class Columns:
    """n scored pairs; every array is of shape (n,).

    `outcome` is a place in `OUTCOMES`. `margin` is score_chosen - score_rejected, NaN where there is no such score.
    `verdicts` counts a judge's verdicts (0, 1, 2), `says_a` those of them that are A. Lengths are in words. `reasons`
    counts why pairs are unscored, the most frequent first.
    """

    outcome: Ints
    user: Labels
    subset: Labels
    strategy: Labels
    category: Labels
    generator: Labels
    margin: NDArray[np.float64]
    verdicts: Ints
    says_a: Ints
    words_chosen: Ints
    words_rejected: Ints
    truncated: Mask
    reasons: dict[str, int]

    @property
    def scored(self) -> Mask:
        """The pairs that have an outcome."""
        return np.asarray(self.outcome != UNSCORED)

    @property
    def won(self) -> Mask:
        """The pairs of which the chosen answer is preferred."""
        return np.asarray(self.outcome == WIN)


class Coder:
    """Takes names one by one, null for none."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._codes = array("i")

    def add(self, name: str | None) -> None:
        """The next one's name."""
        self._codes.append(-1 if name is None else self._places.setdefault(name, len(self._places)))

    def labels(self) -> Labels:
        """All that were added."""
        names = sorted(self._places)
        # One more for -1, which is the last place.
        place = np.full(len(names) + 1, -1, dtype=np.int64)
        place[[self._places[name] for name in names]] = np.arange(len(names))
        return Labels(tuple(names), place[np.array(self._codes, dtype=np.int64)])


def margin_of(item: ScoredItem) -> float:
    """score_chosen - score_rejected, NaN where there is no such score."""
    chosen, rejected = item.score_chosen, item.score_rejected
    return np.nan if chosen is None or rejected is None else chosen - rejected


def columns(items: Iterable[ScoredItem]) -> Columns:
    """Take the pairs one by one; none of them is kept."""
    names = {name: Coder() for name in ("user_key", "subset", "strategy", "category", "generator")}
    numbers = {name: array("i") for name in ("outcome", "verdicts", "says_a", "chosen", "rejected", "truncated")}
    margin, reasons = array("d"), Counter[str]()
    place = {outcome: each for each, outcome in enumerate(OUTCOMES)}
    for item in items:
        for name, coder in names.items():
            coder.add(getattr(item, name))
        verdicts = [each for each in (item.verdict_ab, item.verdict_ba) if each]
        judged = (place[item.outcome], len(verdicts), verdicts.count("A"))
        for column, number in zip(
            numbers.values(), (*judged, item.words_chosen, item.words_rejected, item.truncated), strict=True
        ):
            column.append(number)
        margin.append(margin_of(item))
        if item.outcome == "unscored":
            # What follows a colon is this one case: a model's own words, say.
            reasons[(item.reason or "unknown").partition(": ")[0]] += 1
    of = {name: np.array(column, dtype=np.int64) for name, column in numbers.items()}
    return Columns(
        outcome=of["outcome"],
        user=names["user_key"].labels(),
        subset=names["subset"].labels(),
        strategy=names["strategy"].labels(),
        category=names["category"].labels(),
        generator=names["generator"].labels(),
        margin=np.array(margin, dtype=np.float64),
        verdicts=of["verdicts"],
        says_a=of["says_a"],
        words_chosen=of["chosen"],
        words_rejected=of["rejected"],
        truncated=of["truncated"] == 1,
        reasons=dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0]))),
    )
