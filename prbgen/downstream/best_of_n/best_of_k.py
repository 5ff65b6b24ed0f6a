"""The expected quality of the answer that a reward model prefers of k, over all choices of k of the answers there are.

The unbiased estimator in closed form. With answers in the order of their scores, the best of a k-subset lies among
those of rank j or below in C(j, k) of C(m, k) subsets; a group of equal scores that ranks b + 1 to b + a therefore has
the top of [C(b + a, k) - C(b, k)] / C(m, k) of them, and by symmetry each of its answers an equal share of that: as if
ties within a subset were broken by lot. For distinct scores it is the estimator of WebGPT (Nakano et al. 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ks_up_to(n: int) -> tuple[int, ...]:
    """1, 2, 4 ... as far as n >= 1, and n."""
    return (*(1 << power for power in range((n - 1).bit_length())), n)


def best_of_k(scores: Floats, qualities: Floats, ks: Sequence[int]) -> Floats:
    """The expected quality of the best-scored of k answers, ties broken by lot.

    Args:
        scores: (questions, n) Of each answer; NaN where there is none. They are compared within a question alone.
        qualities: (questions, n) Of each answer; NaN where it is not known. An answer is used if it has both.
        ks: How many answers to choose from, each 1 or more.

    Returns:
        (len(ks), questions) In the unit of the qualities; NaN where fewer than k answers can be used.
    """
    usable = ~(np.isnan(scores) | np.isnan(qualities))
    found = np.full((len(ks), len(scores)), np.nan)
    sizes = usable.sum(axis=1)
    for size in np.unique(sizes[sizes > 0]).tolist():
        rows = np.flatnonzero(sizes == size)
        kept = usable[rows]
        known, good = (each[rows][kept].reshape(-1, size) for each in (scores, qualities))
        found[:, rows] = _of_equal_number(known, good, ks)
    return found


def any_of_k(scores: Floats, qualities: Floats, ks: Sequence[int]) -> Floats:
    """The same for a choice by lot: the mean quality of the answers that can be used, where they are k or more."""
    usable = ~(np.isnan(scores) | np.isnan(qualities))
    return best_of_k(np.where(usable, 0.0, np.nan), qualities, ks)


def judges_best_of_k(scores: Floats, qualities: Floats, ks: Sequence[int]) -> Floats:
    """The same for the best by quality itself, among the answers that can be used: no reward model does better."""
    return best_of_k(np.where(np.isnan(scores), np.nan, qualities), qualities, ks)


def _of_equal_number(scores: Floats, qualities: Floats, ks: Sequence[int]) -> Floats:
    """(len(ks), questions) Of questions that all have the same number of answers, each with a score and a quality."""
    questions, size = scores.shape
    order = np.argsort(scores, axis=1, kind="stable")
    ranked, quality = (np.take_along_axis(each, order, axis=1) for each in (scores, qualities))
    first = np.ones((questions, size), dtype=bool)
    first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    starts = np.flatnonzero(first)
    sizes = np.diff(starts, append=first.size)
    # Equal scores share the tops of their group alike: each may as well have the mean quality of all.
    shared = np.repeat(np.add.reduceat(quality.ravel(), starts) / sizes, sizes).reshape(quality.shape)
    found = np.full((len(ks), questions), np.nan)
    for place, k in enumerate(ks):
        if k <= size:
            found[place] = (shared * _topped(size, k)).sum(axis=1)
    # A weighted mean lies within what it is of; rounding does not know that.
    bounded: Floats = np.clip(found, quality.min(axis=1), quality.max(axis=1))
    return bounded


@lru_cache(maxsize=4096)
def _topped(size: int, k: int) -> Floats:
    """(size,) The share of k-subsets with their top at each place, from the lowest; whole numbers, rounded once."""
    whole = comb(size, k)
    return np.array([comb(below, k - 1) / whole for below in range(size)])
