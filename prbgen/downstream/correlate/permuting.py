"""Could a benchmark rank models so well by chance? Its scores against those downstream, paired at random.

The permutation test of a correlation (Pitman 1937, Significance tests which may be applied to samples from any
populations, II): if the benchmark says nothing of what comes downstream, every pairing of its scores with the models is
as likely as the one found. It takes the models as given, and one no more like another than like a third.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import factorial

import numpy as np

from prbgen.downstream.correlate.coefficients import Floats, Ints, Metric, Ranked, coefficients, discounts
from prbgen.downstream.correlate.formulas import FEWEST_FOR_TOP3, gains, rbo_weights
from prbgen.registry import COEFFICIENTS

LEVEL = 0.05
# Models of which all orders are gone through: 362,880 of them.
MOST_EXACT = 9
DRAWS = 100_000
# Equal figures may differ by what sums round.
TINY = 1e-9
# Pairs of models in memory at a time.
AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Permuted:
    """What n models come to by chance. A metric that is undefined for these scores is in neither dictionary.

    `p` is one-sided: how often a random pairing does as well or better; `chance` is the mean over pairings. `opposite`
    is how often its Spearman is as low or lower, null where that is undefined. `needed` is the least Spearman whose p
    would be below .05, null where none is.
    """

    p: dict[Metric, float]
    chance: dict[Metric, float]
    opposite: float | None
    needed: float | None
    exact: bool
    orders: int


def permuted(benchmark: Floats, downstream: Floats, seed: int = 0) -> Permuted:
    """The test of all metrics: exact up to 9 models, else by 100,000 draws, the observed pairing one of them.

    Args:
        benchmark: (n,) Scores of n >= 2 models, all of them finite.
        downstream: (n,) Of the same models.
        seed: Of the draws.
    """
    n = len(benchmark)
    exact, orders = n <= MOST_EXACT, factorial(n) if n <= MOST_EXACT else DRAWS
    one, other = Ranked.of(benchmark[None]), Ranked.of(downstream[None])
    observed = {name: float(found[0]) for name, found in coefficients(one, other).items()}
    known = [name for name in COEFFICIENTS if not np.isnan(observed[name])]
    if not known:
        return Permuted({}, {}, None, None, exact, orders)
    reached, sums, spearman = dict.fromkeys(known, 0), dict.fromkeys(known, 0.0), []
    for drawn in _all_orders(n) if exact else _drawn_orders(n, seed):
        values = coefficients(one, other.taken(drawn))
        for name in known:
            reached[name] += int((values[name] >= observed[name] - TINY).sum())
            sums[name] += float(values[name].sum())
        spearman.append(values["spearman"])
    more, every = 0 if exact else 1, np.concatenate(spearman)
    # A mean of 0 is 0, whatever its sum rounds to.
    means = {name: round(total / orders, 12) + 0.0 for name, total in sums.items()}
    return Permuted(
        p={name: (times + more) / (orders + more) for name, times in reached.items()},
        chance=means if exact else means | _expected(one, other),
        opposite=(int((every <= observed["spearman"] + TINY).sum()) + more) / (orders + more),
        needed=_needed(every),
        exact=exact,
        orders=orders,
    )


def all_orders(n: int) -> Ints:
    """(n!, n) Every order of n things, as small whole numbers."""
    found = np.zeros((1, 1), dtype=np.int8)
    for more in range(1, n):
        # The next one is put into every place of those before.
        found = np.concatenate([np.insert(found, place, more, axis=1) for place in range(more + 1)])
    return np.asarray(found)


def _all_orders(n: int) -> Iterator[Ints]:
    every, step = all_orders(n), max(1, AT_ONCE // n**2)
    for start in range(0, len(every), step):
        yield every[start : start + step].astype(np.int64)


def _drawn_orders(n: int, seed: int) -> Iterator[Ints]:
    generator, step = np.random.default_rng(seed), max(1, AT_ONCE // n**2)
    for start in range(0, DRAWS, step):
        yield generator.permuted(np.tile(np.arange(n), (min(step, DRAWS - start), 1)), axis=1)


def _expected(benchmark: Ranked, downstream: Ranked) -> dict[Metric, float]:
    """The means over all orders that have a closed form."""
    n = benchmark.scores.shape[1]
    depths = np.arange(1, n + 1)
    expected: dict[Metric, float] = {
        "spearman": 0.0,
        "kendall": 0.0,
        "pearson": 0.0,
        "ndcg_linear": _expected_ndcg(gains(downstream.relevance[0], exponential=False)),
        "ndcg_exponential": _expected_ndcg(gains(downstream.relevance[0], exponential=True)),
        # Of the first d on both sides d * d / n are the same.
        "rbo": float(depths**2 / n @ rbo_weights(n)),
        "top1": 1 / n,
    }
    if n >= FEWEST_FOR_TOP3:
        expected["top3"] = 3 / n
    # Ties are weighed by the other side's ranks, which move.
    untied = all((side.level == 1).all() for side in (benchmark, downstream))
    return expected | ({"weighted_tau": 0.0} if untied else {})


def _expected_ndcg(worth: Floats) -> float:
    by_place = discounts(len(worth))
    return float(worth.mean() * by_place.sum() / (np.sort(worth)[::-1] @ by_place))


def _needed(values: Floats) -> float | None:
    levels, counts = np.unique(np.round(values, 9), return_counts=True)
    p = counts[::-1].cumsum()[::-1] / len(values)
    enough = levels[p < LEVEL]
    return float(enough[0]) if len(enough) else None
