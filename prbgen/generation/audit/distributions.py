"""How long the answers are, and what the pairs are about."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from statistics import median

from prbgen.generation.audit.results import Group, Histogram, Lengths
from prbgen.schema import PreferencePair
from prbgen.text import count_words

_BINS = 20
# Each has its reciprocal among them: swapping the sides mirrors the histogram.
_RATIO_EDGES = (0.0, 0.5, 0.67, 0.8, 0.95, 1.05, 1.25, 1.5, 2.0)


def lengths(pairs: Sequence[PreferencePair]) -> Lengths:
    """Lengths of the answers, of one pair or more.

    Raises:
        ValueError: There is none.
    """
    if not pairs:
        raise ValueError("no pairs")
    words = [(count_words(pair.chosen), count_words(pair.rejected)) for pair in pairs]
    chosen, rejected = [one for one, _ in words], [other for _, other in words]
    ratios = [one / other for one, other in words if other]
    edges = _word_edges(sorted(chosen + rejected))
    return Lengths(
        chosen=_histogram(chosen, edges),
        rejected=_histogram(rejected, edges),
        ratio=_histogram(ratios, (*_RATIO_EDGES, float(max(3, ceil(max(ratios, default=0)))))),
        median_chosen=float(median(chosen)),
        median_rejected=float(median(rejected)),
        median_ratio=round(median(ratios), 4) if ratios else None,
        longer_chosen=sum(one > other for one, other in words),
        longer_rejected=sum(one < other for one, other in words),
        equal=sum(one == other for one, other in words),
    )


def groups(pairs: Iterable[PreferencePair]) -> tuple[Group, ...]:
    """Pairs by category within subset, the largest first, ties by name."""
    counts = Counter((pair.subset, pair.category) for pair in pairs)
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0][0], item[0][1] or ""))
    return tuple(Group(subset, category, count) for (subset, category), count in order)


def _word_edges(counts: Sequence[int]) -> tuple[float, ...]:
    """Bins of one round width, which hold 99 % of the sorted counts, and a last wider one for longer answers."""
    usual = counts[floor(0.99 * (len(counts) - 1))]
    width = _round_up(max(1.0, usual / (_BINS - 1)))
    first = floor(counts[0] / width)
    edges = [width * step for step in range(first, max(first, floor(usual / width)) + 2)]
    if counts[-1] > edges[-1]:
        edges.append(width * ceil(counts[-1] / width))
    return tuple(float(edge) for edge in edges)


def _round_up(width: float) -> int:
    """The next of 1, 2, 5, 10, 20, 50, ..."""
    power = 10 ** floor(log10(width))
    return int(next(step * power for step in (1, 2, 5, 10) if step * power >= width))


def _histogram(values: Iterable[float], edges: tuple[float, ...]) -> Histogram:
    """All values are within the edges."""
    last = len(edges) - 2
    places = Counter(min(bisect_right(edges, value) - 1, last) for value in values)
    return Histogram(edges, tuple(places[place] for place in range(last + 1)))
