"""The coefficients that `prbgen correlate` shows.

Spearman's rho and Pearson's r; Kendall's tau b (1945, ties between models count for neither side); the weighted tau of
Vigna (2015), additive and hyperbolic, the mean of both sides' ranks as weights, as `scipy.stats.weightedtau` has it;
NDCG (Jarvelin and Kekalainen 2002) with the discounts of tied models averaged (McSherry and Najork 2008), as
`sklearn.metrics.ndcg_score` has it; rank-biased overlap of complete lists, extrapolated (Webber et al. 2010, equation
32), p = .9; the share of the best 1 and best 3 of one side among those of the other. Where a list has ties, the last
three are what to expect if they are broken at random.
"""

from __future__ import annotations

import numpy as np

from prbgen.downstream.correlate.coefficients import (
    Both,
    Floats,
    Ints,
    Ranked,
    adding_up,
    averaged,
    discounts,
)

PERSISTENCE = 0.9
# The best 3 of fewer are nearly all there are.
FEWEST_FOR_TOP3 = 4


def spearman(both: Both) -> Floats:
    """Of ranks, ties in the middle."""
    return _correlation(both.benchmark.relevance, both.downstream.relevance)


def pearson(both: Both) -> Floats:
    """Of the scores themselves."""
    return _correlation(both.benchmark.scores, both.downstream.scores)


def kendall(both: Both) -> Floats:
    """Tau b."""
    return _tau(both, np.ones((1, both.n)))


def weighted_tau(both: Both) -> Floats:
    """The best count most."""
    weights = adding_up(1 / np.arange(1, both.n + 1))
    sides = (both.benchmark, both.downstream)
    one, other = (_tau(both, averaged(weights, *_lexical(*each))) for each in (sides, sides[::-1]))
    return np.asarray((one + other) / 2)


def ndcg_linear(both: Both) -> Floats:
    """A model is worth as much as it beats."""
    return _ndcg(both, exponential=False)


def ndcg_exponential(both: Both) -> Floats:
    """A model is worth 2 to the power of how many it beats, less 1."""
    return _ndcg(both, exponential=True)


def rbo(both: Both) -> Floats:
    """Rank-biased overlap."""
    return np.asarray(both.overlap @ rbo_weights(both.n))


def top1(both: Both) -> Floats:
    """Whether the best is found."""
    return both.overlap[:, 0]


def top3(both: Both) -> Floats:
    """The share of the best 3 that is found; NaN below 4 models."""
    if both.n < FEWEST_FOR_TOP3:
        return np.full(len(both.overlap), np.nan)
    return np.asarray(both.overlap[:, 2] / 3)


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


def _correlation(one: Floats, other: Floats) -> Floats:
    one, other = _standardised(one), _standardised(other)
    return np.asarray(np.clip(np.einsum("bi,bi->b", *np.broadcast_arrays(one, other)), -1.0, 1.0))


def _standardised(values: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        # Scaled first: squares of very large or small values are no numbers.
        scaled = values / np.abs(values).max(axis=1, keepdims=True)
        centred = scaled - scaled.mean(axis=1, keepdims=True)
        centred = centred / np.abs(centred).max(axis=1, keepdims=True)
        return np.asarray(centred / np.sqrt((centred**2).sum(axis=1, keepdims=True)))


def _tau(both: Both, weights: Floats) -> Floats:
    untied = ((both.n - side.level) * weights for side in (both.benchmark, both.downstream))
    one, other = (each.sum(axis=1) for each in untied)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.clip((both.agree * weights).sum(axis=1) / np.sqrt(one * other), -1.0, 1.0))


def _lexical(first: Ranked, second: Ranked) -> tuple[Ints, Ints]:
    """Ranks by one side, ties by the other. Models that tie on both share a weight: no sum changes by it."""
    if (first.level == 1).all():
        return first.above, first.level
    above = (first.better | (first.same & second.better)).sum(axis=2)
    return above, (first.same & second.same).sum(axis=2)


def _ndcg(both: Both, *, exponential: bool) -> Floats:
    worth = gains(both.downstream.relevance, exponential=exponential)
    ideal = np.sort(worth, axis=1)[:, ::-1] @ discounts(both.n)
    return np.asarray(np.clip((worth * both.discounts).sum(axis=1) / ideal, 0.0, 1.0))
