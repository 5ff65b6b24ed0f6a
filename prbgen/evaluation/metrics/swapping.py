"""Could two results differ so much by chance? The exact test of swapping them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prbgen.evaluation.metrics.columns import Ints

# Sums that a test may take: 32 MB of them.
_MOST_SUMS = 4_000_000
# Products that may be added up one by one, in a hundredth of a second. More of them are added by way of their spectrum,
# which rounds: a p that is smaller than this floor may then be anything below it.
_MOST_PRODUCTS = 10_000_000
_FLOOR = 1e-9


def swap_test(differences: Ints) -> float | None:
    """The two-sided p of a sum of differences, if each could as well have the other sign: exact, no draws.

    This is Fisher's randomisation test of paired data (The Design of Experiments, 1935, section 21). Over pairs, with
    differences of -1, 0, 1, it is McNemar's exact test; over users, whose differences add up those of their pairs, it
    allows for pairs of one user being alike, and few users cannot show much, however many pairs they have.

    Args:
        differences: (n,) Whole numbers.

    Returns:
        1 where nothing differs; null where the sums are too many to go through. Where there are very many differences
        of several sizes, never less than 1e-9: that stands for anything below.
    """
    from scipy.signal import convolve
    from scipy.stats import binom

    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    if not len(sizes):
        return 1.0
    unit = int(np.gcd.reduce(sizes))
    sizes, observed = sizes // unit, abs(int(differences.sum())) // unit
    most = int((sizes * counts).sum())
    if most > _MOST_SUMS:
        return None
    # chance[k]: that those which keep the plus sign come to k. The sum is then 2 k - most.
    chance, floor = np.ones(1), 0.0
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        steps = np.zeros(size * count + 1)
        steps[::size] = binom.pmf(np.arange(count + 1), count, 0.5)
        if len(chance) * len(steps) <= _MOST_PRODUCTS:
            chance = convolve(chance, steps, method="direct")
        else:
            chance, floor = convolve(chance, steps, method="fft"), _FLOOR
    sums = 2 * np.arange(most + 1) - most
    return float(np.clip(chance[np.abs(sums) >= observed].sum(), floor, 1))


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """The p values of a family of tests, each raised so that all of them together err with the chance that one says
    (Holm 1979); in their order. Tests that could not be made are null, and none of the family.
    """
    known = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    raised: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        raised[place] = highest
    return raised
