"""Who gets which item, and in which order: all by the seed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from prbgen.annotation.items import Item
from prbgen.annotation.plan.chance import digits


def assign(
    items: Iterable[Item], raters: Collection[str], per_item: int, seed: str, before: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """The raters who get each of these items now; `before` tells who got it, or the one that it repeats, earlier.

    An item goes to so many raters that it has `per_item`; loads differ by one at most as long as enough items are not
    repeated. A repeated item goes to those raters who have the first one and are still there. Gold items go to all.
    """
    items = list(items)
    load: Counter[str] = Counter()
    earlier = Counter(name for names in before.values() for name in names)
    repeats = Counter(item.repeats for item in items if item.kind == "repeat")
    found: dict[str, tuple[str, ...]] = {}

    def had(item: str | None) -> set[str]:
        return set(before.get(item or "", ()))

    def give(item: Item, names: Iterable[str], weight: int) -> None:
        found[item.id] = tuple(sorted(names))
        load.update(dict.fromkeys(found[item.id], weight))

    pairs = [item for item in items if item.kind == "pair"]
    given_now = {item.id for item in pairs}
    for item in items:
        if item.kind == "gold":
            give(item, set(raters) - had(item.id), 0)
        elif item.repeats and item.repeats not in given_now:
            give(item, set(raters) & had(item.repeats) - had(item.id), 1)
    # Those that weigh more go first, so that the others can even out; stratum by stratum, so that each is even.
    for item in sorted(pairs, key=lambda each: (-repeats[each.id], each.subset, each.strategy, digits(seed, each.id))):
        by_load = sorted(
            set(raters) - had(item.id), key=lambda name: (load[name], earlier[name], digits(seed, item.id, name))
        )
        give(item, by_load[: max(0, per_item - len(had(item.id)))], 1 + repeats[item.id])
    for item in items:
        if item.id not in found:
            # Its weight was counted with the first one.
            holders = set(found[item.repeats or ""]) | had(item.repeats) & set(raters)
            give(item, holders - had(item.id), 0)
    return found


def ordered(items: Iterable[Item], rater: str, seed: str) -> list[str]:
    """The ids of a rater's items in an order of their own; a repeated one comes half a sheet after the first."""
    groups: dict[str, list[Item]] = defaultdict(list)
    items = sorted(items, key=lambda item: (item.kind == "repeat", digits(seed, rater, item.id)))
    there = {item.id for item in items}
    for item in items:
        groups[item.repeats if item.repeats in there and item.repeats else item.id].append(item)
    places: list[tuple[float, str, str]] = []
    by_size: dict[int, list[list[Item]]] = defaultdict(list)
    for group in groups.values():
        by_size[len(group)].append(group)
    for size, alike in by_size.items():
        # Spread evenly over the first part of the sheet; the rest of each group stands as far into the other parts.
        for rank, group in enumerate(alike):
            places += [
                ((rank + 0.5) / len(alike) / size + part / size, digits(seed, rater, item.id), item.id)
                for part, item in enumerate(group)
            ]
    return [item for *_, item in sorted(places)]
