"""Two one-sided tests (TOST; Schuirmann 1987) on means of pairs that are clustered by user, for any number of studies.

The variance of a mean is the cluster-robust one (Liang and Zeger 1986): with n values d, of mean m, by G users,
G / (G - 1) * sum over users of (sum of their d - m)^2, over n^2; its t has G - 1 degrees of freedom.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ALPHA = 0.05

Floats = NDArray[np.float64]


def standard_error(sums: Floats, n: int) -> Floats:
    """That of means of n values, from the `sums` of each user's deviations: (..., users), two users or more."""
    users = sums.shape[-1]
    return np.asarray(np.sqrt(users / (users - 1) * np.sum(sums**2, axis=-1)) / n)


def tost(mean: Floats | float, error: Floats | float, freedom: int, margin: float) -> Floats:
    """The p that the true means lie beyond +-`margin`, which is the greater one of both tests; errors above 0."""
    from scipy.stats import t

    above = t.sf((mean + margin) / error, freedom)
    below = t.cdf((mean - margin) / error, freedom)
    return np.asarray(np.maximum(above, below))
