"""How likely the equivalence test is to succeed: by formula, and by trying."""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from prbgen.errors import InputError
from prbgen.validation.report import Figure
from prbgen.validation.share import wilson
from prbgen.validation.tost import ALPHA, standard_error, tost

_NODES = 64
_AT_ONCE = 2_000_000  # simulated differences in memory


def tost_power(pairs: int, sd: float, margin: float, difference: float = 0.0) -> float:
    """The power of the paired TOST at .05 with independent pairs; pairs >= 2.

    Exact for normal differences (Phillips 1990; Owen 1965): the chance that the mean lies where both tests reject,
    averaged over the standard deviation that may be found. `sd`, `margin` and the true `difference` are in marks.
    """
    from scipy.stats import chi2, norm, t

    freedom, error = pairs - 1, sd / sqrt(pairs)
    quantile = float(t.ppf(1 - ALPHA, freedom))
    # A found SD beyond this leaves no mean that both tests would reject at.
    reach = float(chi2.cdf(freedom * (margin / (quantile * error)) ** 2, freedom))
    nodes, weights = _quadrature()
    found_error = error * np.sqrt(chi2.ppf(reach * (nodes + 1) / 2, freedom) / freedom)
    room = margin - quantile * found_error
    both = norm.cdf((room - difference) / error) - norm.cdf((-room - difference) / error)
    return float(reach / 2 * (weights @ np.maximum(both, 0)))


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places in (-1, 1) and their weights: the rule of Gauss and Legendre."""
    return np.polynomial.legendre.leggauss(_NODES)


def pairs_for_power(power: float, sd: float, margin: float) -> int:
    """The fewest independent pairs that give the paired TOST this power (0 to 1) where there is no true difference."""
    low, high = 1, 2
    while tost_power(high, sd, margin) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tost_power(middle, sd, margin) >= power else (middle, high)
    return high


def simulated_power(
    pairs: int,
    sd: float,
    margin: float,
    difference: float = 0.0,
    *,
    users: int | None = None,
    icc: float = 0.0,
    repetitions: int = 4000,
    seed: int = 0,
) -> Figure:
    """The share of simulated studies whose TOST succeeds, with the interval that the number of repetitions leaves.

    The pairs are spread evenly over `users` (null: one each). Differences are normal; two of a user correlate by `icc`
    (0 to 1). The test is the one that pairs which people rated are put to: clustered by user.

    Raises:
        InputError: fewer than two users, or more than pairs.
    """
    users = pairs if users is None else users
    if not 2 <= users <= pairs:
        raise InputError(f"{users} users for {pairs} pairs: it takes at least 2 users, each with a pair")
    rng = np.random.default_rng(seed)
    starts = np.arange(users) * pairs // users
    step, passed = max(1, _AT_ONCE // pairs), 0
    for start in range(0, repetitions, step):
        studies = min(step, repetitions - start)
        found = difference + sd * draws(rng, studies, pairs, starts, icc)
        mean = found.mean(axis=1)
        error = standard_error(np.add.reduceat(found - mean[:, None], starts, axis=1), pairs)
        passed += int(np.count_nonzero(tost(mean, error, users - 1, margin) < ALPHA))
    share = passed / repetitions
    return Figure(value=share, ci95=wilson(share, repetitions), n=repetitions)


def draws(
    rng: np.random.Generator, studies: int, pairs: int, starts: NDArray[np.int64], icc: float
) -> NDArray[np.float64]:
    """Standard normal numbers, (studies, pairs), of which those of a user correlate by `icc`.

    `starts` has where each user's begin: (users,).
    """
    sizes = np.diff(np.append(starts, pairs))
    of_user = np.repeat(rng.standard_normal((studies, len(starts))), sizes, axis=1)
    own = rng.standard_normal((studies, pairs))
    return np.asarray(sqrt(icc) * of_user + sqrt(1 - icc) * own)
