"""Sums over users and within groups, for many replicates at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from prbgen.validation.agreement.units import Ints

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tally:
    """How often each of `keys` (in order) occurs with each user; `matrix` is sparse: (keys, users)."""

    keys: Ints
    matrix: Any

    def summed(self, users: Floats) -> Floats:
        """How often each key occurs with weights of users, (users, replicates): (keys, replicates)."""
        found: Floats = self.matrix @ users
        return found


def tally(keys: Ints, users: Ints, of: int) -> Tally:
    """Count how often each key stands beside each of `of` users."""
    known, row = np.unique(keys, return_inverse=True)
    return Tally(known, csr_array((np.ones(len(row)), (row, users)), shape=(len(known), of)))


def summed(groups: Ints, numbers: Floats, of: int) -> Floats:
    """The sums of rows of `numbers` by their group, of `of` groups: (groups, replicates)."""
    rows = np.arange(len(groups))
    found: Floats = csr_array((np.ones(len(rows)), (groups, rows)), shape=(of, len(rows))) @ numbers
    return found


def ratio(above: Floats | float, below: Floats, otherwise: float = 0.0) -> Floats:
    """The quotient, `otherwise` where nothing is below."""
    found: Floats = np.full(np.broadcast_shapes(np.shape(above), below.shape), otherwise)
    np.divide(above, below, out=found, where=below > 0)
    return found
