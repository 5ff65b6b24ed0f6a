"""All figures that follow from the scored pairs alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from prbgen.errors import InputError
from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.metrics.bootstrap import Bootstrap
from prbgen.evaluation.metrics.columns import Columns, columns
from prbgen.evaluation.metrics.groups import MOST_NAMES, group, groups, macro
from prbgen.evaluation.summary import Figures, Share
from prbgen.registry import METRICS, load

# One that is no field of `Figures` gives a `Share`.
Metric: TypeAlias = Callable[[Columns, Bootstrap], Any]


def figures(items: Iterable[ScoredItem], *, seed: int = 0, resamples: int = 2000) -> Figures:
    """The figures of these pairs, which are taken one by one; in whatever order, they are the same to the last digit.

    Args:
        items: The pairs of one evaluation.
        seed: Of each figure's bootstrap.
        resamples: Of users, for each 95 % interval.

    Raises:
        InputError: a metric that is no field of `Figures` gives no `Share`.
    """
    pairs, bootstrap = columns(items), Bootstrap(seed, resamples)
    whole = group(pairs, np.arange(len(pairs.outcome)), bootstrap)
    kinds = {"subset": pairs.subset, "strategy": pairs.strategy, "category": pairs.category,
             "generator": pairs.generator}  # fmt: skip
    by = {kind: groups(pairs, labels, bootstrap, whole) for kind, labels in kinds.items()}
    metrics: dict[str, Metric] = {name: load(where) for name, where in METRICS.items()}
    found = {name: metric(pairs, bootstrap) for name, metric in metrics.items()}
    further = {name: value for name, value in found.items() if name not in Figures.model_fields}
    for name, value in further.items():
        if not isinstance(value, Share):
            raise InputError(f"the metric {name} ({METRICS[name]}) should give a Share, and gives {value!r}")
    return Figures(
        **dict(whole),
        by_subset=by["subset"],
        by_strategy=by["strategy"],
        by_category=by["category"],
        by_generator=by["generator"],
        unlisted={
            kind: len(labels.names) - MOST_NAMES for kind, labels in kinds.items() if len(labels.names) > MOST_NAMES
        },
        macro=macro(pairs),
        **{name: value for name, value in found.items() if name in Figures.model_fields},
        further=further,
        reasons=pairs.reasons,
        users=len(pairs.user.names),
        seed=seed,
        resamples=resamples,
    )
