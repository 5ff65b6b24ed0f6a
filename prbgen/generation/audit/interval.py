"""How well a cross-validated accuracy is known: its 95 % interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from prbgen.generation.audit.folds import FOLDS, numbered

_LEVEL = 0.975
# Where pairs of a user differ more than pairs at large, that is chance: it may not narrow the interval.
_LEAST_DESIGN_EFFECT = 1.0


def interval95(outcomes: NDArray[np.float64], groups: Sequence[str], *, repeats: int) -> tuple[float, float]:
    """The 95 % interval of the mean of n held-out outcomes (0 to 1), n >= 1, of a cross-validation by group.

    Wilson's interval (1927) with an effective sample size, and the quantile of t, from the variance between groups
    (Korn and Graubard 1998; degrees of freedom from the effective number of groups, Carter, Schnepel and Steigerwald
    2017). Cross-validation adds variance that the spread of outcomes does not show (Bengio and Grandvalet 2004; Bates,
    Hastie and Tibshirani 2024): see `_shared_training`. Never of zero width.
    """
    from scipy.stats import t

    accuracy, rows = float(np.mean(outcomes)), len(outcomes)
    spread = float(np.var(outcomes))
    group = numbered(groups)
    sizes = np.bincount(group)
    effective_groups = rows**2 / float(np.sum(sizes**2))
    size = effective_groups  # where outcomes cannot say how alike those of a group are: taken as all alike
    if spread and len(sizes) > 1:
        sums = np.bincount(group, weights=outcomes - accuracy)
        between = len(sizes) / (len(sizes) - 1) * float(np.sum(sums**2)) / rows
        design_effect = max(between / spread, _LEAST_DESIGN_EFFECT)
        variance = design_effect * (spread + _shared_training(accuracy, repeats)) / rows
        size = accuracy * (1 - accuracy) / variance
    return _wilson(accuracy, size, float(t.ppf(_LEVEL, max(effective_groups - 1, 1))))


def _shared_training(accuracy: float, repeats: int) -> float:
    """What cross-validation adds to the variance of one outcome of n, 0 < accuracy < 1.

    A pair trains the models that test other pairs, and pushes their scores just as they push its own: outcomes go
    together. Take scores as normal, with an error that is all from training. Two pairs in separate folds then have
    scores that correlate by 1 / n or, where these come from different repeats, by 1 - 1 / FOLDS of that. For outcomes,
    that times the squared normal density is their covariance, with n others to sum over. The surer the learner, the
    less is added; at .5 and with one repeat it is 64 % of the variance of independent trials.
    """
    from scipy.stats import norm

    overlap = 1 / repeats + (1 - 1 / repeats) * (1 - 1 / FOLDS)
    return overlap * exp(-(float(norm.ppf(accuracy)) ** 2)) / (2 * pi)


def _wilson(share: float, size: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a share of `size` trials."""
    squared = quantile**2 / size
    middle = (share + squared / 2) / (1 + squared)
    half = sqrt(squared * (share * (1 - share) + squared / 4)) / (1 + squared)
    return max(middle - half, 0.0), min(middle + half, 1.0)
