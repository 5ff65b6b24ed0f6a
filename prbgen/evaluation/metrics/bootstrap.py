"""How sure a share is: the percentile bootstrap over users, as pairs of one user may be alike.

Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13, with users as the unit. The script that is
published beside the data (data_cards/evaluate.py) draws the same users, so that both give the same digits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prbgen.evaluation.metrics.columns import Ints
from prbgen.evaluation.summary import Interval, Share

# Draws that are in memory at a time.
_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Bootstrap:
    """So many resamples of users; every figure begins anew with the seed, and so depends on no other."""

    seed: int = 0
    resamples: int = 2000

    def share(self, hits: Ints, of: Ints, users: Ints) -> Share:
        """The sum of `hits` over that of `of`, with its 95 % interval.

        Args:
            hits: (n,) Hits of each case.
            of: (n,) How many there could be; those of 0 are no cases.
            users: (n,) Whose case it is, as a number; equal sets of users are drawn alike if in the same order.
        """
        n = int(of.sum())
        if not n:
            return Share(value=None)
        cases = of > 0
        _, user = np.unique(users[cases], return_inverse=True)
        mine = np.bincount(user, hits[cases]).astype(np.int64), np.bincount(user, of[cases]).astype(np.int64)
        return Share(value=int(hits[cases].sum()) / n, ci95=self.interval(*mine), n=n)

    def interval(self, hits: Ints, of: Ints) -> Interval | None:
        """The 95 % interval of sum(hits) / sum(of) over users (u,); null for fewer than two."""
        if len(of) < 2:
            return None
        low, high = np.percentile(self._replicates(hits, of), (2.5, 97.5)).tolist()
        return low, high

    def _replicates(self, hits: Ints, of: Ints) -> NDArray[np.float64]:
        generator, users, found = np.random.default_rng(self.seed), len(of), []
        rows = max(1, _AT_ONCE // users)
        for start in range(0, self.resamples, rows):
            draws = generator.integers(users, size=(min(rows, self.resamples - start), users))
            found.append(hits.take(draws).sum(axis=1) / of.take(draws).sum(axis=1))
        return np.concatenate(found)
