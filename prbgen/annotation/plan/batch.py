"""The items that one call adds: pairs, then gold items and repeats put among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from prbgen.annotation.items import Item, opposite
from prbgen.annotation.plan import gold, order
from prbgen.annotation.plan.chance import chance, mixed
from prbgen.annotation.plan.earlier import Earlier
from prbgen.annotation.plan.index import Entry, Index
from prbgen.annotation.plan.sample import strata
from prbgen.annotation.plan.show import content_hash, disguised_id, show
from prbgen.annotation.plan.sides import balanced
from prbgen.annotation.plan.wording import Wording
from prbgen.schema import Round, Shown


class Batch:
    """`items` is the row so far, in the order that raters get it; `remarks` say what could not be done."""

    def __init__(self, index: Index, round_: Round, seed: int, before: Earlier, wording: Wording) -> None:
        self._index = index
        self._round = round_
        self._seed = seed
        self._before = before
        self._wording = wording
        self._sides: dict[str, Shown] = {}  # of the chosen answers, by pair id
        self.items: list[Item] = []
        self.remarks: list[str] = []

    @property
    def pairs(self) -> list[Item]:
        """The items of kind "pair"."""
        return [item for item in self.items if item.kind == "pair"]

    def take(self, new: Sequence[Entry], again: Mapping[str, Shown]) -> None:
        """Take pairs that have no item yet, and pairs whose text has changed (with the side of their last item)."""
        entries = self._index.entries
        frozen = {**self._before.rated, **again}
        self._sides = dict(again)
        for stratum in strata(new):
            name = stratum[0].stratum
            stand = [side for pair_id, side in frozen.items() if entries[pair_id].stratum == name]
            rng = self._chance("sides", *name)
            new_sides = balanced(len(stratum), stand, rng)
            self._sides |= zip((entry.pair_id for entry in stratum), new_sides, strict=True)
        rng = self._chance("order")
        groups = strata(sorted((entries[pair_id] for pair_id in self._sides), key=lambda entry: entry.pair_id))
        for group in groups:
            rng.shuffle(group)
        self.items = [self._item(entry, self._sides[entry.pair_id]) for entry in mixed(groups, rng)]

    def add_gold(self, entries: Iterable[Entry], count: int) -> None:
        """Put gold items, made of any of `entries`, at random places among the others."""
        if not count:
            return
        index, taken = self._index, {item.pair_id for item in self._before.checks}
        met = {index.entries[item.pair_id].asked for item in self._all if item.pair_id in index.entries}
        free = (each for each in entries if each.pair_id not in taken)
        candidates = gold.queue(free, met, self._seed, self._round)
        rng = self._chance("gold")
        possible = min(count, len(candidates))
        places = order.gold_places(possible, len(self.items) + possible, rng)
        row: list[Item | None] = list(self.items)
        for place in places:
            row.insert(place, None)
        filled = gold.fill(
            places, [index.entries[item.pair_id] if item else None for item in row], candidates, index, self._seed
        )
        sides = balanced(len(filled), [item.own for item in self._before.checks], rng)
        for (place, (entry, donor)), own in zip(filled.items(), sides, strict=True):
            row[place] = gold.gold_item(entry, donor, own, self._round, index, self._seed, self._wording)
        self.items = [item for item in row if item]
        if len(filled) < count:
            why = "they need another user's answer to another question"
            self.remarks.append(f"{len(filled) or 'no'} gold items instead of {count}: {why}")

    def add_repeats(self, count: int) -> None:
        """Show some of the pairs again, with the sides changed over, as far from the first time as can be."""
        gold_pairs = {item.pair_id for item in self._all if item.kind == "gold"}
        places = [
            place for place, item in enumerate(self.items) if item.kind == "pair" and item.pair_id not in gold_pairs
        ]
        possible = min(count, len(places))
        if possible < count:
            self.remarks.append(f"{possible or 'no'} repeated items instead of {count}: there are too few pairs")
        length = len(self.items) + possible
        drawn = order.repeat_places(places, possible, length, self._chance("repeats"))
        repeats = {at: self._repeat(self.items[first]) for first, at in drawn}
        rest = iter(self.items)
        self.items = [repeats[place] if place in repeats else next(rest) for place in range(length)]

    @property
    def _all(self) -> Iterable[Item]:
        return (*self._before.items, *self.items)

    def _chance(self, *what: str) -> Random:
        return chance(self._seed, self._round, len(self._before.items), *what)

    def _item(self, entry: Entry, side: Shown) -> Item:
        pair = self._index.read(entry.pair_id)
        content = show(pair, self._round, pair.chosen, pair.rejected, side)
        shown = content_hash(content)
        return Item(
            id=f"{entry.pair_id}-{shown}",
            pair_id=entry.pair_id,
            kind="pair",
            subset=entry.subset,
            strategy=entry.strategy,
            aspects=len(content.aspects),
            chosen=side,
            content_hash=shown,
        )

    def _repeat(self, first: Item) -> Item:
        pair = self._index.read(first.pair_id)
        side = opposite(self._sides[first.pair_id])
        content = show(pair, self._round, pair.chosen, pair.rejected, side)
        return first.model_copy(
            update={
                "id": disguised_id(content, self._seed, self._round, "repeat", first.pair_id),
                "kind": "repeat",
                "chosen": side,
                "content_hash": content_hash(content),
                "repeats": first.id,
            }
        )
