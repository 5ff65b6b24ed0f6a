"""How well one ranking of models agrees with another: several ways to say it, for many pairs of rankings at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from prbgen.registry import COEFFICIENTS, load

# One of `registry.COEFFICIENTS`.
Metric: TypeAlias = str

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Ranked:
    """The scores of n models, in each of b rows, and how they rank; rows of NaN are none.

    `scores` (b, n); `better` (b, n, n): whether the second model is better than the first, `same`: equal to it;
    `above` (b, n): how many are better than each, `level` how many equal to it, itself one of them.
    """

    scores: Floats
    better: Truths
    same: Truths
    above: Ints
    level: Ints

    @classmethod
    def of(cls, scores: Floats) -> Ranked:
        """Rank scores (b, n), higher is better."""
        one, other = scores[:, :, None], scores[:, None, :]
        better, same = other > one, other == one
        return cls(scores, better, same, better.sum(axis=2), same.sum(axis=2))

    def taken(self, orders: Ints) -> Ranked:
        """The only row, its models in each of these orders (b, n)."""
        n = orders.shape[1]
        at = orders[:, :, None] * n + orders[:, None, :]
        return Ranked(
            self.scores[0].take(orders),
            self.better[0].ravel().take(at),
            self.same[0].ravel().take(at),
            self.above[0].take(orders),
            self.level[0].take(orders),
        )

    @cached_property
    def relevance(self) -> Floats:
        """(b, n) How many each beats, ties half: 0 to n - 1."""
        return np.asarray(self.scores.shape[1] - 1 - self.above - (self.level - 1) / 2)

    @cached_property
    def signs(self) -> NDArray[np.int8]:
        """(b, n, n) 1 where the second is better, -1 where the first is."""
        return np.asarray(self.better.astype(np.int8) - self.better.swapaxes(1, 2))

    @cached_property
    def among_best(self) -> Floats:
        """(b, n, n) How probable it is that a model is among the first 1, 2, ... n, ties broken at random."""
        depths = np.arange(1, self.scores.shape[1] + 1)
        # Where nothing is known all is level with nothing.
        level = np.maximum(self.level, 1)
        return np.clip((depths - self.above[:, :, None]) / level[:, :, None], 0.0, 1.0)


@dataclass(frozen=True)
class Both:
    """Two rankings of the same n models; one may have a single row, which then goes with all b of the other."""

    benchmark: Ranked
    downstream: Ranked

    @property
    def n(self) -> int:
        """How many models there are."""
        return int(self.benchmark.scores.shape[1])

    @cached_property
    def overlap(self) -> Floats:
        """(b, n) How many of the first 1, 2, ... n of one side are to be expected among those of the other."""
        sides = np.broadcast_arrays(self.benchmark.among_best, self.downstream.among_best)
        return np.asarray(np.einsum("bid,bid->bd", *sides))

    @cached_property
    def agree(self) -> Ints:
        """(b, n) Of each model's pairs: those that both sides order alike, less those that they order otherwise."""
        return np.asarray((self.benchmark.signs * self.downstream.signs).sum(axis=2))

    @cached_property
    def discounts(self) -> Floats:
        """(b, n) What each model counts in NDCG by its place on the benchmark, tied models alike."""
        return averaged(adding_up(discounts(self.n)), self.benchmark.above, self.benchmark.level)


# A coefficient of each row, (b,); those of rows where either side is constant or not known do not matter.
Formula: TypeAlias = Callable[[Both], Floats]


def coefficients(benchmark: Ranked, downstream: Ranked) -> dict[Metric, Floats]:
    """All of them, of each row (b,); one of both may have a single row, which then goes with all of the other.

    A row is NaN where it is undefined: where either side is constant or not known; `top3` below 4 models.
    """
    both = Both(benchmark, downstream)
    undefined = ~(_varies(benchmark.scores) & _varies(downstream.scores))
    formulas: dict[Metric, Formula] = {name: load(where) for name, (_, where) in COEFFICIENTS.items()}
    return {name: np.where(undefined, np.nan, formula(both)) for name, formula in formulas.items()}


def titles() -> dict[Metric, str]:
    """What tables call them."""
    return {name: title for name, (title, _) in COEFFICIENTS.items()}


def discounts(n: int) -> Floats:
    """(n,) What a model at each place counts in NDCG: 1 / log2(place + 1)."""
    return np.asarray(1 / np.log2(np.arange(2, n + 2)))


def adding_up(values: Floats) -> Floats:
    """(n + 1,) The sums of the first 0, 1, ... n."""
    return np.concatenate([[0.0], np.cumsum(values)])


def averaged(cumulative: Floats, above: Ints, level: Ints) -> Floats:
    """The mean over the places that tied models share, of what adds up to `cumulative` (n + 1,) over places."""
    ends = np.minimum(above + np.maximum(level, 1), len(cumulative) - 1)
    return np.asarray((cumulative[ends] - cumulative[above]) / np.maximum(level, 1))


def _varies(scores: Floats) -> Truths:
    # Of NaN neither holds.
    return np.asarray(scores.max(axis=1) > scores.min(axis=1))
