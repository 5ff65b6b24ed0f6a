"""One benchmark against one result downstream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from prbgen.downstream.correlate.coefficients import Floats, Metric, Ranked, coefficients
from prbgen.downstream.correlate.formulas import FEWEST_FOR_TOP3
from prbgen.downstream.correlate.permuting import Permuted, permuted
from prbgen.downstream.correlate.records import (
    Coefficient,
    Coefficients,
    Correlation,
    ModelScore,
    ModelScores,
    SideFacts,
)
from prbgen.downstream.correlate.resampling import Resampling, intervals, no_interval
from prbgen.downstream.correlate.sentence import sentence, uneven, verdict_of
from prbgen.downstream.correlate.side import Side
from prbgen.evaluation.summary import Interval
from prbgen.percentiles import UNDEFINED, interval95
from prbgen.registry import COEFFICIENTS


def compared(benchmark: Side, downstream: Side, resampling: Resampling, whole: tuple[Side, Side]) -> Correlation:
    """The correlation of two sides with the same models, two or more; `whole` are both sides with all their models."""
    scores = resampling.scores((benchmark, downstream))
    by_chance = permuted(benchmark.scores, downstream.scores, resampling.seed)
    found = _coefficients(benchmark, downstream, scores, by_chance)
    facts = tuple(
        SideFacts(
            label=side.label,
            kind=side.kind,
            measure=side.measure,
            users=len(side.items.users) if side.items else None,
            items=_fewest_and_most(side),
            left_out=tuple(model for model in full.models if model not in side.models),
        )
        for side, full in zip((benchmark, downstream), whole, strict=True)
    )
    verdict = verdict_of(found.spearman, by_chance.opposite)
    return Correlation(
        **dict(found),
        benchmark=facts[0],
        downstream=facts[1],
        n_models=len(benchmark.models),
        verdict=verdict,
        conclusive=verdict == "alike",
        sentence=sentence(found, by_chance, len(benchmark.models), (benchmark.label, downstream.label)),
        notes=tuple(note for side in facts if (note := uneven(side))),
        models=_models(benchmark, downstream, scores),
        p_method="exact" if by_chance.exact else "draws",
        permutations=by_chance.orders,
        p_opposite=by_chance.opposite,
        needed=by_chance.needed,
        resampled=_resampled(benchmark, downstream) if scores else None,
        resamples=resampling.resamples,
        seed=resampling.seed,
    )


def replicated(benchmark: Floats, downstream: Floats) -> dict[Metric, Floats]:
    """All metrics of each row: (r, m) scores of both sides to (r,)."""
    return coefficients(Ranked.of(benchmark), Ranked.of(downstream))


def undefined(name: Metric, sides: Sequence[Side]) -> str:
    """Why a metric is null."""
    for side in sides:
        if np.ptp(side.scores) == 0:
            return f"all models have the same score on {side.label}"
    few = name == "top3" and len(sides[0].models) < FEWEST_FOR_TOP3
    return f"fewer than {FEWEST_FOR_TOP3} models" if few else "undefined for these scores"


def _coefficients(
    benchmark: Side, downstream: Side, scores: Sequence[Floats] | None, by_chance: Permuted
) -> Coefficients:
    values = replicated(benchmark.scores[None], downstream.scores[None])
    replicates = replicated(*scores) if scores else None
    found: dict[str, Coefficient] = {}
    for name in COEFFICIENTS:
        value = float(values[name][0])
        if np.isnan(value):
            found[name] = Coefficient(value=None, reason=undefined(name, (benchmark, downstream)))
            continue
        ci95 = interval95(replicates[name]) if replicates else None
        reason = None if ci95 else UNDEFINED if replicates else no_interval((benchmark, downstream))
        found[name] = Coefficient(
            value=value, ci95=ci95, p=by_chance.p[name], chance=by_chance.chance[name], reason=reason
        )
    own = {name: each for name, each in found.items() if name in Coefficients.model_fields}
    return Coefficients(**own, further={name: each for name, each in found.items() if name not in own})


def _models(benchmark: Side, downstream: Side, scores: Sequence[Floats] | None) -> tuple[ModelScores, ...]:
    sides = []
    for place, side in enumerate((benchmark, downstream)):
        known: list[Interval | None] = [None] * len(side.models)
        if side.items and scores:
            known = intervals(scores[place])
        counts = side.items.counts.sum(axis=0).tolist() if side.items else known
        rows = zip(side.scores.tolist(), known, counts if side.items else [None] * len(known), strict=True)
        sides.append([ModelScore(value=value, ci95=ci95, items=items) for value, ci95, items in rows])
    return tuple(
        ModelScores(model=model, benchmark=one, downstream=other)
        for model, one, other in zip(benchmark.models, *sides, strict=True)
    )


def _fewest_and_most(side: Side) -> tuple[int, int] | None:
    if side.items is None:
        return None
    counts = side.items.counts.sum(axis=0)
    return int(counts.min()), int(counts.max())


def _resampled(benchmark: Side, downstream: Side) -> Literal["both", "benchmark", "downstream"]:
    if benchmark.items and downstream.items:
        return "both"
    return "benchmark" if benchmark.items else "downstream"
