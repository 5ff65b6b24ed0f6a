"""Means, shares and equivalence over pairs, where pairs of one user may be alike; see tost.py for their variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prbgen.validation.report import Equivalence, Figure
from prbgen.validation.share import wilson
from prbgen.validation.tost import ALPHA, standard_error, tost

# Of errors that are nothing but rounding.
_TINY = 1e-12


@dataclass(frozen=True)
class Clustered:
    """The mean of n >= 1 values of `users` users; its standard error, null with the reason where it is unknown."""

    mean: float
    error: float | None
    users: int
    n: int
    reason: str | None = None

    @property
    def freedom(self) -> int:
        """Degrees of freedom of its t."""
        return self.users - 1

    def interval(self, level: float) -> tuple[float, float] | None:
        """The interval at a level, such as .95."""
        if self.error is None:
            return None
        half = _quantile(1 - (1 - level) / 2, self.freedom) * self.error
        return self.mean - half, self.mean + half


def clustered(values: Sequence[float], users: Sequence[str], of: str = "users") -> Clustered:
    """The mean of n >= 1 values, each with the user that it is of; `of` says what users are, if they are others."""
    each = np.asarray(values, dtype=np.float64)
    names, index = np.unique(np.asarray(users), return_inverse=True)
    mean, n, groups = float(np.mean(each)), len(each), len(names)
    if groups < 2:
        return Clustered(mean, None, groups, n, f"fewer than two {of}: nothing tells how sure it is")
    sums = np.asarray(np.bincount(index, weights=each - mean), dtype=np.float64)
    error = float(standard_error(sums, n))
    if error <= _TINY * max(1.0, float(np.max(np.abs(each)))):
        return Clustered(mean, None, groups, n, f"no variation between {of}: nothing tells how sure it is")
    return Clustered(mean, error, groups, n)


def mean_figure(
    values: Sequence[float], users: Sequence[str], missing: str, bounds: tuple[float, float] | None = None
) -> Figure:
    """A mean with its interval, cut off at what is possible (`bounds`); null because `missing`, if there is none."""
    if not values:
        return Figure(value=None, reason=missing)
    found = clustered(values, users)
    interval = found.interval(1 - ALPHA)
    if interval and bounds:
        interval = max(interval[0], bounds[0]), min(interval[1], bounds[1])
    return Figure(value=found.mean, ci95=interval, n=found.n, reason=found.reason)


def share_figure(outcomes: Sequence[bool], users: Sequence[str], missing: str, of: str = "users") -> Figure:
    """The share of outcomes that are true, with Wilson's interval; null because `missing`, if there are none.

    Its size is effective: what it would take, independent, for the variance clustered by user (Korn and Graubard 1998),
    and no more than there are; the number of users where the share is 0 or 1. Its quantile is that of t.
    """
    if not outcomes:
        return Figure(value=None, reason=missing)
    found = clustered([float(each) for each in outcomes], users, of)
    if found.users < 2:
        return Figure(value=found.mean, n=found.n, reason=found.reason)
    share, size = found.mean, float(found.n)
    if share in (0.0, 1.0):
        size = found.users
    elif found.error is not None:
        size = min(size, share * (1 - share) / found.error**2)
    quantile = _quantile(1 - ALPHA / 2, found.freedom)
    return Figure(value=share, ci95=wilson(share, size, quantile), n=found.n)


def equivalence(differences: Sequence[float], users: Sequence[str], margin: float, missing: str) -> Equivalence:
    """Whether the mean of paired differences lies within +-`margin`; null because `missing`, if there are none."""
    found = clustered(differences, users) if differences else None
    if found is None or found.error is None:
        known, reason = (found.users, found.reason) if found else (0, missing)
        return Equivalence(margin=margin, p=None, ci90=None, equivalent=None, users=known, reason=reason)
    p = float(tost(found.mean, found.error, found.freedom, margin))
    ci90 = found.interval(1 - 2 * ALPHA)
    return Equivalence(margin=margin, p=p, ci90=ci90, equivalent=p < ALPHA, users=found.users)


def _quantile(share: float, freedom: int) -> float:
    from scipy.stats import t

    return float(t.ppf(share, freedom))
