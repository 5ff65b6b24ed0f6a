"""Which pairs are rated: all, or a sample in proportion to subsets and strategies that can grow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from operator import attrgetter

from prbgen.annotation.plan.chance import digits
from prbgen.annotation.plan.index import Entry
from prbgen.recipe import AnnotationSettings


def strata(entries: Iterable[Entry]) -> list[list[Entry]]:
    """The entries of each subset and strategy."""
    groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.stratum].append(entry)
    return [groups[stratum] for stratum in sorted(groups)]


def drawn(entries: Iterable[Entry], rated: Set[str], settings: AnnotationSettings) -> list[Entry]:
    """Those of `entries` that are to be rated beside the pairs in `rated`.

    The seats go one by one to the stratum that is furthest behind (Sainte-Laguë's method), once each has its first.
    Largest remainders would not do: with them a stratum may lose a seat when the sample grows.
    """
    ranked: list[tuple[bool, float, str, Entry]] = []
    for stratum in strata(entries):
        # The round does not count, so that all rounds rate the same pairs.
        lots = {entry.pair_id: digits(settings.seed, "sample", entry.pair_id) for entry in stratum}
        # Those that are rated already have their seats.
        order = sorted(stratum, key=lambda entry: (entry.pair_id not in rated, lots[entry.pair_id]))
        for seat, entry in enumerate(order):
            ranked.append((seat > 0, (seat + 0.5) / len(stratum), lots[entry.pair_id], entry))
    ranked.sort(key=lambda each: each[:3])
    new = [entry for *_, entry in ranked if entry.pair_id not in rated]
    if settings.sample:
        new = new[: max(0, settings.sample - len(rated))]
    return sorted(new, key=attrgetter("pair_id"))
