"""Two benchmarks against the same result downstream: does one predict it better?

By a paired permutation test: if it does not matter which of two benchmarks ranks a model, their ranks of each model can
be swapped (Fisher, The Design of Experiments, 1935, section 21; with draws: Noreen, Computer-Intensive Methods for
Testing Hypotheses, 1989, chapter 2). Ranks, as scores of two benchmarks have no common scale: so there is no such test
of Pearson. Holm's correction goes over the pairs of benchmarks, for each metric.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from prbgen.downstream.correlate.coefficients import Floats, Ints, Metric, Ranked, coefficients
from prbgen.downstream.correlate.comparing import replicated, undefined
from prbgen.downstream.correlate.permuting import AT_ONCE, DRAWS, TINY
from prbgen.downstream.correlate.records import Difference
from prbgen.downstream.correlate.resampling import Resampling, no_interval
from prbgen.downstream.correlate.side import Side
from prbgen.evaluation.metrics.swapping import holm
from prbgen.percentiles import UNDEFINED, interval95
from prbgen.registry import COEFFICIENTS

# Models of which all 65,536 ways to swap are gone through.
MOST_SWAPPED = 16
_FEWEST = 2


def differences(benchmarks: Sequence[Side], downstream: Side, resampling: Resampling) -> list[Difference]:
    """All pairs of benchmarks, by each metric, over the models that both and the result downstream have."""
    found = [
        difference
        for first, second in combinations(benchmarks, 2)
        for difference in _pair(first, second, downstream, resampling)
    ]
    raised: dict[int, float | None] = {}
    for name in COEFFICIENTS:
        places = [at for at, each in enumerate(found) if each.metric == name]
        raised |= zip(places, holm([found[at].p for at in places]), strict=True)
    return [each.model_copy(update={"p_holm": raised[at]}) for at, each in enumerate(found)]


def swap_ps(first: Floats, second: Floats, downstream: Floats, seed: int = 0) -> dict[Metric, float]:
    """The two-sided p of each rank metric's difference: exact up to 16 models, else by 100,000 draws, what is observed
    being one of them.

    Args:
        first: (n,) A benchmark's scores of n models.
        second: (n,) Another's.
        downstream: (n,) What both are compared with.
        seed: Of the draws.

    Returns:
        Those that are defined for both; where a swap leaves one undefined, it counts as a difference of 0.
    """
    n, other = len(downstream), Ranked.of(downstream[None])
    ranks = [Ranked.of(side[None]).relevance[0] for side in (first, second)]
    observed = _gaps(ranks[0][None], ranks[1][None], other)
    known = [name for name in COEFFICIENTS if name != "pearson" and not np.isnan(observed[name][0])]
    exact = n <= MOST_SWAPPED
    reached, orders = dict.fromkeys(known, 0), 2**n if exact else DRAWS
    for swapped in _all_swaps(n) if exact else _drawn_swaps(n, seed):
        gaps = _gaps(np.where(swapped, ranks[1], ranks[0]), np.where(swapped, ranks[0], ranks[1]), other)
        for name in known:
            reached[name] += int((np.abs(np.nan_to_num(gaps[name])) >= abs(observed[name][0]) - TINY).sum())
    more = 0 if exact else 1
    return {name: (times + more) / (orders + more) for name, times in reached.items()}


def _pair(first: Side, second: Side, downstream: Side, resampling: Resampling) -> Iterator[Difference]:
    common = set(first.models) & set(second.models) & set(downstream.models)
    one, two, other = (side.only(common) for side in (first, second, downstream))
    facts: dict[str, Any] = {
        "downstream": other.label,
        "first": one.label,
        "second": two.label,
        "n_models": len(common),
    }
    if len(common) < _FEWEST:
        for name in COEFFICIENTS:
            yield Difference(metric=name, value=None, reason="fewer than two models that all three have", **facts)
        return
    values = _gaps(one.scores[None], two.scores[None], Ranked.of(other.scores[None]))
    scores = resampling.scores((one, two, other))
    replicates = None
    if scores:
        mine, theirs = replicated(scores[0], scores[2]), replicated(scores[1], scores[2])
        replicates = {name: theirs[name] - mine[name] for name in COEFFICIENTS}
    ps = swap_ps(one.scores, two.scores, other.scores, resampling.seed)
    for name in COEFFICIENTS:
        value = float(values[name][0])
        if np.isnan(value):
            yield Difference(metric=name, value=None, reason=undefined(name, (one, two, other)), **facts)
            continue
        ci95 = interval95(replicates[name]) if replicates else None
        yield Difference(
            metric=name,
            value=value,
            ci95=ci95,
            p=ps.get(name),
            p_method="exact" if len(common) <= MOST_SWAPPED else "draws",
            reason=None if ci95 else UNDEFINED if replicates else no_interval((one, two, other)),
            **facts,
        )


def _gaps(first: Floats, second: Floats, downstream: Ranked) -> dict[Metric, Floats]:
    mine, theirs = (coefficients(Ranked.of(side), downstream) for side in (first, second))
    return {name: np.asarray(theirs[name] - mine[name]) for name in COEFFICIENTS}


def _all_swaps(n: int) -> Iterator[Ints]:
    step = max(1, AT_ONCE // n**2)
    for start in range(0, 2**n, step):
        yield (np.arange(start, min(start + step, 2**n))[:, None] >> np.arange(n)) & 1


def _drawn_swaps(n: int, seed: int) -> Iterator[Ints]:
    generator, step = np.random.default_rng(seed), max(1, AT_ONCE // n**2)
    for start in range(0, DRAWS, step):
        yield generator.integers(2, size=(min(step, DRAWS - start), n))
