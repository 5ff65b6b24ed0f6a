"""Cohen's kappa, with an interval over users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from prbgen.percentiles import UNDEFINED, interval95
from prbgen.recipe import ValidationSettings
from prbgen.validation.report import Figure

Weights = Literal["none", "quadratic"]
# Resamples at once: enough for speed, little enough for memory.
_BATCH = 500


@dataclass(frozen=True)
class Case:
    """Something that judge and people said something about: both as numbers from 0, and whose pair it is of."""

    judge: int
    people: int
    user: str


def kappa(tables: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    """Cohen's kappa (1960; with weights 1968) of tables of counts, shape (..., k, k); NaN where it is undefined."""
    ranks = np.arange(tables.shape[-1], dtype=np.float64)
    apart = (ranks[:, None] - ranks[None, :]) ** 2
    cost = np.sign(apart) if weights == "none" else apart
    total = tables.sum(axis=(-2, -1))
    observed = (tables * cost).sum(axis=(-2, -1)) * total
    by_chance = tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :]
    expected = (by_chance * cost).sum(axis=(-2, -1))
    unknown = np.full(np.shape(expected), np.nan)
    ratio: NDArray[np.float64] = np.divide(observed, expected, out=unknown, where=np.asarray(expected > 0))
    return np.asarray(1 - ratio)


def kappa_figure(cases: Sequence[Case], labels: int, weights: Weights, settings: ValidationSettings) -> Figure:
    """The kappa of one case or more over so many labels, with a percentile bootstrap interval over users."""
    names, index = np.unique([case.user for case in cases], return_inverse=True)
    tables = np.zeros((len(names), labels, labels))
    for user, case in zip(index, cases, strict=True):
        tables[user, case.judge, case.people] += 1
    value = float(kappa(tables.sum(axis=0), weights))
    if np.isnan(value):
        return Figure(value=None, n=len(cases), reason="judge and people say one and the same of everything")
    if len(names) < 2:
        return Figure(value=value, n=len(cases), reason="fewer than two users: nothing tells how sure it is")
    ci95 = interval95(_resampled(tables, weights, settings))
    return Figure(value=value, ci95=ci95, n=len(cases), reason=None if ci95 else UNDEFINED)


def _resampled(tables: NDArray[np.float64], weights: Weights, settings: ValidationSettings) -> NDArray[np.float64]:
    """The kappa of each of `settings.resamples` draws of users, with replacement."""
    random = np.random.default_rng(settings.seed)
    users = len(tables)
    found = []
    for start in range(0, settings.resamples, _BATCH):
        size = min(_BATCH, settings.resamples - start)
        often = random.multinomial(users, np.full(users, 1 / users), size=size).astype(np.float64)
        found.append(kappa(np.tensordot(often, tables, axes=1), weights))
    return np.concatenate(found)
