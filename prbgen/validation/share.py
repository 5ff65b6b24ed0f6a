"""How well a share is known."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

Z95 = NormalDist().inv_cdf(0.975)


def wilson(share: float, size: float, quantile: float = Z95) -> tuple[float, float]:
    """Wilson's score interval (1927) of a share of `size` > 0 independent cases; at the 95 % level if not told."""
    squared = quantile**2 / size
    middle = (share + squared / 2) / (1 + squared)
    half = sqrt(squared * (share * (1 - share) + squared / 4)) / (1 + squared)
    return max(middle - half, 0.0), min(middle + half, 1.0)
