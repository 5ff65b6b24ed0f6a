"""How sure a mean is: the percentile bootstrap over users, as questions of one user may be alike.

As `prbgen.evaluation.metrics.bootstrap` has it for shares, with the same draws of users, for values of any size.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from prbgen.evaluation.summary import Share

# Draws that are in memory at a time.
_AT_ONCE = 1 << 20


def mean_share(values: ArrayLike, users: ArrayLike, *, seed: int = 0, resamples: int = 2000) -> Share:
    """The mean of values with its 95 % interval, which is null where fewer than two users are behind them.

    Each resample draws as many users as there are, with replacement, and takes the mean of all their values.

    Args:
        values: (n,) One of each case; what is not known is left out beforehand.
        users: (n,) Whose case it is: numbers or names. Equal sets of users are drawn alike if they sort alike.
        seed: Of the draws.
        resamples: How many there are.

    Raises:
        ValueError: a value is no finite number, or there are not as many users.
    """
    known = np.asarray(values, dtype=np.float64)
    whose = np.asarray(users)
    if known.shape != whose.shape or known.ndim != 1 or not np.isfinite(known).all():
        raise ValueError("values should be finite numbers, each with its user")
    if not len(known):
        return Share(value=None)
    # Exact, so that the order of the cases changes nothing.
    value = math.fsum(known.tolist()) / len(known)
    _, user = np.unique(whose, return_inverse=True)
    counts = np.bincount(user)
    if len(counts) < 2:
        return Share(value=value, n=len(known))
    order = np.argsort(user, kind="stable")
    parts = np.split(known[order], np.cumsum(counts)[:-1])
    sums = np.array([math.fsum(part.tolist()) for part in parts])
    drawn, of = resampled(np.column_stack((sums, counts)), seed, resamples).T
    low, high = np.percentile(drawn / of, (2.5, 97.5)).tolist()
    return Share(value=value, ci95=(low, high), n=len(known))


def resampled(sums: NDArray[np.float64], seed: int, resamples: int) -> NDArray[np.float64]:
    """(resamples, columns) The sums of as many users as there are, drawn with replacement, of sums (users, columns)."""
    generator, users, found = np.random.default_rng(seed), len(sums), []
    rows = max(1, _AT_ONCE // users)
    # Several threads would part the sums in another way on each machine, and so round them otherwise.
    with threadpool_limits(limits=1, user_api="blas"):
        for start in range(0, resamples, rows):
            size = min(rows, resamples - start)
            draws = generator.integers(users, size=(size, users)) + users * np.arange(size)[:, None]
            times = np.bincount(draws.ravel(), minlength=size * users).reshape(size, users)
            found.append(times.astype(np.float64) @ sums)
    return np.concatenate(found)
