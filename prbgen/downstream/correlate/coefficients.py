"""How well one ranking of models agrees with another: eight ways to say it, for many pairs of rankings at once.

Spearman's rho and Pearson's r; Kendall's tau b (1945, ties between models count for neither side); the weighted tau of
Vigna (2015), additive and hyperbolic, the mean of both sides' ranks as weights, as `scipy.stats.weightedtau` has it;
NDCG (Jarvelin and Kekalainen 2002) with the discounts of tied models averaged (McSherry and Najork 2008), as
`sklearn.metrics.ndcg_score` has it; rank-biased overlap of complete lists, extrapolated (Webber et al. 2010, equation
32), p = .9; the share of the best 1 and best 3 of one side among those of the other. Where a list has ties, the last
three are what to expect if they are broken at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Metric = Literal[
    "spearman", "kendall", "weighted_tau", "pearson", "ndcg_linear", "ndcg_exponential", "rbo", "top1", "top3"
]
METRICS: tuple[Metric, ...] = get_args(Metric)
METRIC_NAMES: dict[Metric, str] = {
    "spearman": "Spearman",
    "kendall": "Kendall tau-b",
    "weighted_tau": "weighted tau",
    "pearson": "Pearson",
    "ndcg_linear": "NDCG, linear gain",
    "ndcg_exponential": "NDCG, exponential gain",
    "rbo": "rank-biased overlap",
    "top1": "best 1 found",
    "top3": "best 3 found",
}
PERSISTENCE = 0.9
# The best 3 of fewer are nearly all there are.
FEWEST_FOR_TOP3 = 4

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


def coefficients(benchmark: Ranked, downstream: Ranked) -> dict[Metric, Floats]:
    """All of them, of each row (b,); one of both may have a single row, which then goes with all of the other.

    A row is NaN where it is undefined: where either side is constant or not known; `top3` below 4 models.
    """
    n = benchmark.scores.shape[1]
    overlap = np.einsum("bid,bid->bd", *np.broadcast_arrays(benchmark.among_best, downstream.among_best))
    found: dict[Metric, Floats] = {
        "spearman": _pearson(benchmark.relevance, downstream.relevance),
        **_taus(benchmark, downstream),
        "pearson": _pearson(benchmark.scores, downstream.scores),
        **_ndcgs(benchmark, downstream),
        "rbo": overlap @ rbo_weights(n),
        "top1": overlap[:, 0],
        "top3": overlap[:, 2] / 3 if n >= FEWEST_FOR_TOP3 else np.full(len(overlap), np.nan),
    }
    undefined = ~(_varies(benchmark.scores) & _varies(downstream.scores))
    return {name: np.where(undefined, np.nan, found[name]) for name in METRICS}


def discounts(n: int) -> Floats:
    """(n,) What a model at each place counts in NDCG: 1 / log2(place + 1)."""
    return np.asarray(1 / np.log2(np.arange(2, n + 2)))


def gains(relevance: Floats, *, exponential: bool) -> Floats:
    """What models of such a relevance are worth: as much, or 2 to its power less 1, scaled so that nothing overflows;
    NDCG is the same whatever the scale.
    """
    if not exponential:
        return relevance
    most = relevance.shape[-1] - 1
    return np.asarray(np.exp2(relevance - most) - np.exp2(-float(most)))


def rbo_weights(n: int) -> Floats:
    """(n,) By which the overlap of the first 1, 2, ... n adds up to the rank-biased overlap."""
    depths = np.arange(1, n + 1)
    weights = (1 - PERSISTENCE) / PERSISTENCE * PERSISTENCE**depths / depths
    weights[-1] += PERSISTENCE**n / n
    return np.asarray(weights)


def _varies(scores: Floats) -> Truths:
    # Of NaN neither holds.
    return np.asarray(scores.max(axis=1) > scores.min(axis=1))


def _pearson(one: Floats, other: Floats) -> Floats:
    one, other = _standardised(one), _standardised(other)
    return np.asarray(np.clip(np.einsum("bi,bi->b", *np.broadcast_arrays(one, other)), -1.0, 1.0))


def _standardised(values: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        # Scaled first: squares of very large or small values are no numbers.
        scaled = values / np.abs(values).max(axis=1, keepdims=True)
        centred = scaled - scaled.mean(axis=1, keepdims=True)
        centred = centred / np.abs(centred).max(axis=1, keepdims=True)
        return np.asarray(centred / np.sqrt((centred**2).sum(axis=1, keepdims=True)))


def _taus(one: Ranked, other: Ranked) -> dict[Metric, Floats]:
    n = one.scores.shape[1]
    # (b, n) Of each model's pairs: those that both sides order alike, less those that they order the other way.
    agree = (one.signs * other.signs).sum(axis=2)
    untied = n - one.level, n - other.level
    weights = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n + 1))])
    both = [_tau(agree, untied, _averaged(weights, *_lexical(*sides))) for sides in ((one, other), (other, one))]
    return {"kendall": _tau(agree, untied, np.ones((1, n))), "weighted_tau": np.asarray((both[0] + both[1]) / 2)}


def _tau(agree: Ints, untied: tuple[Ints, Ints], weights: Floats) -> Floats:
    of = (untied[0] * weights).sum(axis=1) * (untied[1] * weights).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.clip((agree * weights).sum(axis=1) / np.sqrt(of), -1.0, 1.0))


def _lexical(first: Ranked, second: Ranked) -> tuple[Ints, Ints]:
    """Ranks by one side, ties by the other. Models that tie on both share a weight: no sum changes by it."""
    if (first.level == 1).all():
        return first.above, first.level
    above = (first.better | (first.same & second.better)).sum(axis=2)
    return above, (first.same & second.same).sum(axis=2)


def _ndcgs(benchmark: Ranked, downstream: Ranked) -> dict[Metric, Floats]:
    n = benchmark.scores.shape[1]
    by_place = discounts(n)
    weights = _averaged(np.concatenate([[0.0], np.cumsum(by_place)]), benchmark.above, benchmark.level)
    found: dict[Metric, Floats] = {}
    names: tuple[Metric, Metric] = ("ndcg_linear", "ndcg_exponential")
    for name, exponential in zip(names, (False, True), strict=True):
        worth = gains(downstream.relevance, exponential=exponential)
        ideal = np.sort(worth, axis=1)[:, ::-1] @ by_place
        found[name] = np.asarray(np.clip((worth * weights).sum(axis=1) / ideal, 0.0, 1.0))
    return found


def _averaged(cumulative: Floats, above: Ints, level: Ints) -> Floats:
    """The mean over the places that tied models share, of what adds up to `cumulative` (n + 1,) over places."""
    ends = np.minimum(above + np.maximum(level, 1), len(cumulative) - 1)
    return np.asarray((cumulative[ends] - cumulative[above]) / np.maximum(level, 1))
