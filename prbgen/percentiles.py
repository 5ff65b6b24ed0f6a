"""What resamples tell of how well a figure is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Of the resamples: where many leave a figure undefined, those that define it are a selection.
_DEFINED = 0.95
UNDEFINED = "no interval: undefined in too many resamples"


def interval95(replicates: NDArray[np.float64]) -> tuple[float, float] | None:
    """The 95 % percentile interval of a figure that is NaN where it is undefined; null if that is too often."""
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < _DEFINED * len(replicates):
        return None
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high)
