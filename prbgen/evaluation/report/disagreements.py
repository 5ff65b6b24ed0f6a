"""Pairs that divide the models, to be read side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.metrics.columns import LOSS, TIE, UNSCORED, WIN
from prbgen.evaluation.report.entries import Entry
from prbgen.evaluation.report.texts import PairText, read_texts
from prbgen.evaluation.settings import CONDITIONS, Condition


@dataclass(frozen=True)
class Disagreement:
    """A pair, and which results prefer which of its answers (their labels). `text` is null where it cannot be read."""

    item: ScoredItem
    for_chosen: tuple[str, ...]
    for_rejected: tuple[str, ...]
    undecided: tuple[str, ...]
    unscored: tuple[str, ...]
    text: PairText | None


@dataclass(frozen=True)
class Disagreements:
    """Those under one condition, of so many `results`; `divided` pairs there are in all, `lacking` says why texts are
    missing.
    """

    condition: Condition
    results: int
    divided: int
    shown: tuple[Disagreement, ...]
    lacking: str | None


def disagreements(entries: Sequence[Entry], data: str | None, most: int) -> Disagreements | None:
    """Up to `most` of the pairs on which models disagree most, under the first condition with several results.

    A pair divides the models as many times as the smaller side has members; equal ones are taken in an order that looks
    random and is always the same. Null where there are no two results under one condition.

    Args:
        entries: Results on the same pairs.
        data: Where to read the texts; null: where the results say.
        most: How many pairs at most.
    """
    for condition in CONDITIONS:
        results = [entry for entry in entries if entry.summary.condition == condition]
        if len(results) > 1:
            return _under(condition, results, data, most)
    return None


def _under(condition: Condition, entries: Sequence[Entry], data: str | None, most: int) -> Disagreements:
    keys, votes = _votes(entries)
    # How many are on the smaller side.
    torn = np.minimum((votes == WIN).sum(axis=0), (votes == LOSS).sum(axis=0)).tolist()
    divided = [place for place, least in enumerate(torn) if least]
    places = sorted(divided, key=lambda place: (-torn[place], _lot(keys[place]), keys[place]))[:most]
    items = _items(entries, {keys[place] for place in places})
    texts, lacking = read_texts(entries[0].summary, items.keys(), data) if places else ({}, None)
    shown = [_disagreement(entries, items[keys[place]], votes[:, place], texts.get(keys[place])) for place in places]
    return Disagreements(condition, len(entries), len(divided), tuple(shown), lacking)


def _disagreement(
    entries: Sequence[Entry], item: ScoredItem, votes: NDArray[np.int8], text: PairText | None
) -> Disagreement:
    chosen, rejected, tie, unscored = (
        tuple(entry.label for entry, vote in zip(entries, votes.tolist(), strict=True) if vote == side)
        for side in (WIN, LOSS, TIE, UNSCORED)
    )
    return Disagreement(item, chosen, rejected, tie, unscored, text)


def _votes(entries: Sequence[Entry]) -> tuple[list[str], NDArray[np.int8]]:
    """The keys of all n pairs, and what each result made of each (results, n): an outcome, -1 where it has no such."""
    keys = sorted(set().union(*(entry.judged.keys for entry in entries)))
    place = {key: at for at, key in enumerate(keys)}
    votes = np.full((len(entries), len(keys)), -1, dtype=np.int8)
    for row, entry in enumerate(entries):
        votes[row, [place[key] for key in entry.judged.keys]] = entry.judged.outcome
    return keys, votes


def _items(entries: Sequence[Entry], wanted: set[str]) -> dict[str, ScoredItem]:
    """The facts on these pairs, from the first result that has each."""
    found: dict[str, ScoredItem] = {}
    for item in chain.from_iterable(entry.results.items() for entry in entries):
        if len(found) == len(wanted):
            break
        if item.key in wanted:
            found.setdefault(item.key, item)
    return found


def _lot(key: str) -> bytes:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
