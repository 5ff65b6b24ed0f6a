"""All figures that follow from the scored pairs alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from prbgen.evaluate.item import ScoredItem
from prbgen.evaluate.metrics.biases import length_bias, margins, order_consistency, position_bias
from prbgen.evaluate.metrics.bootstrap import Bootstrap
from prbgen.evaluate.metrics.columns import columns
from prbgen.evaluate.metrics.groups import MOST_NAMES, group, groups, macro
from prbgen.evaluate.summary import Figures


def figures(items: Iterable[ScoredItem], *, seed: int = 0, resamples: int = 2000) -> Figures:
    """The figures of these pairs, which are taken one by one; in whatever order, they are the same to the last digit.

    Args:
        items: The pairs of one evaluation.
        seed: Of each figure's bootstrap.
        resamples: Of users, for each 95 % interval.
    """
    pairs, bootstrap = columns(items), Bootstrap(seed, resamples)
    whole = group(pairs, np.arange(len(pairs.outcome)), bootstrap)
    kinds = {"subset": pairs.subset, "strategy": pairs.strategy, "category": pairs.category,
             "generator": pairs.generator}  # fmt: skip
    by = {kind: groups(pairs, labels, bootstrap, whole) for kind, labels in kinds.items()}
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
        margins=margins(pairs),
        order_consistency=order_consistency(pairs),
        position_bias=position_bias(pairs, bootstrap),
        length_bias=length_bias(pairs, bootstrap),
        reasons=pairs.reasons,
        users=len(pairs.user.names),
        seed=seed,
        resamples=resamples,
    )
