"""Gold items: what raters are expected to see in them is known, and nothing but the answers tells them from others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from math import inf

from prbgen.annotation.items import Item
from prbgen.annotation.plan.bounds import bounds
from prbgen.annotation.plan.chance import chance, mixed
from prbgen.annotation.plan.contents import own_answer
from prbgen.annotation.plan.donor import find_donor
from prbgen.annotation.plan.index import Entry, Index
from prbgen.annotation.plan.show import content_hash, disguised_id, show
from prbgen.annotation.plan.wording import Wording
from prbgen.schema import Round, Shown

_LOOKED_AT = 50
Asked = tuple[str, str]


def queue(entries: Iterable[Entry], met: Set[Asked], seed: int, round_: Round) -> list[Entry]:
    """Those that may become gold items: the best first, the subsets mixed in proportion."""
    rng = chance(seed, round_, "gold")
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.subset].append(entry)
    for group in groups.values():
        rng.shuffle(group)
    # Whoever meets a question for the second time may wonder why, so those that the round doesn't have come first.
    return sorted(mixed(groups.values(), rng), key=lambda entry: entry.asked in met)


def fill(
    places: Sequence[int], order: Sequence[Entry | None], candidates: Sequence[Entry], index: Index, seed: int
) -> dict[int, tuple[Entry, str]]:
    """Which pair stands at which of `places`, and the pair whose answer is put beside its own.

    `order` is the row of items, null at `places`. Where a question is in it as well, the two are kept a quarter of it
    apart if that can be. Places stay empty where nothing unrelated is found.
    """
    met: dict[Asked, list[int]] = defaultdict(list)
    for place, entry in enumerate(order):
        if entry:
            met[entry.asked].append(place)
    left, filled = list(candidates), {}
    for place in places:

        def nearness(entry: Entry, place: int = place) -> float:
            return -min((abs(place - each) for each in met.get(entry.asked, ())), default=inf)

        while left:
            # Stable: among those that are far enough off, the order of the queue holds.
            best = min(left[:_LOOKED_AT], key=lambda entry: max(nearness(entry), -len(order) / 4))
            left.remove(best)
            donor = find_donor(best, index, chance(seed, "donor", best.pair_id))
            if donor:
                filled[place] = best, donor
                met[best.asked].append(place)
                left.sort(key=lambda entry: entry.asked == best.asked)
                break
    return filled


def gold_item(
    entry: Entry, donor_id: str, own: Shown, round_: Round, index: Index, seed: int, wording: Wording
) -> Item:
    """The gold item that shows this pair's own answer on `own`."""
    pair, donor = index.read(entry.pair_id), index.read(donor_id)
    words = chance(seed, "wording", entry.pair_id)
    added = wording.naming(pair.rubric_aspects, words) if round_ == "rubric" else None
    content = show(pair, round_, own_answer(pair.chosen, added), donor.chosen, own)
    return Item(
        id=disguised_id(content, seed, round_, "gold", entry.pair_id),
        pair_id=entry.pair_id,
        kind="gold",
        subset=entry.subset,
        strategy=entry.strategy,
        aspects=len(content.aspects),
        chosen=None,
        content_hash=content_hash(content),
        gold=bounds(pair, round_, own),
        own=own,
        donor=donor_id,
        added=added,
    )
