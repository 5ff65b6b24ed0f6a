"""The points of a curve: means over questions, each with its interval by resampling users.

One set of draws serves all figures of all reward models: what a resample does to the mean quality it also does to
random choice and oracle, so that the interval of the recovered share is that of a ratio of means drawn together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prbgen.downstream.best_of_n.best_of_k import Floats
from prbgen.downstream.facts import Point
from prbgen.downstream.means import resampled
from prbgen.evaluation.summary import Share
from prbgen.percentiles import interval95

# A headroom that is nothing but rounding is none.
_TINY = 1e-9
_QUESTIONS, _QUALITY, _RANDOM, _ORACLE = range(4)


class ByUser:
    """Sums over the questions of each user: numbers of users x 4 x k are all that is kept."""

    def __init__(self, users: int, ks: Sequence[int]) -> None:
        self._ks = tuple(ks)
        self._sums = np.zeros((users, 4, len(self._ks)))

    def add(self, users: NDArray[np.int64], quality: Floats, random: Floats, oracle: Floats) -> None:
        """Some questions.

        Args:
            users: (questions,) Who asked, from 0.
            quality: (k, questions) As `best_of_k` has it, NaN where the question has too few answers for k.
            random: The same for a choice by lot.
            oracle: The same for the best by the judge.
        """
        known = ~np.isnan(quality)
        for place, values in enumerate((known, quality, random, oracle)):
            np.add.at(self._sums[:, place], users, np.where(known, values, 0.0).T)

    def points(self, *, seed: int = 0, resamples: int = 2000) -> tuple[Point, ...]:
        """The figures for each k, in the order of `ks`."""
        users = len(self._sums)
        drawn = resampled(self._sums.reshape(users, -1), seed, resamples).reshape(resamples, 4, len(self._ks))
        whole = self._sums.sum(axis=0)
        behind = (self._sums[:, _QUESTIONS] > 0).sum(axis=0)
        return tuple(
            _point(k, whole[:, place], drawn[:, :, place] if behind[place] > 1 else None)
            for place, k in enumerate(self._ks)
        )


def _point(k: int, whole: Floats, drawn: Floats | None) -> Point:
    """Of sums (4,) and their resamples (resamples, 4), null for fewer than two users."""
    questions = round(float(whole[_QUESTIONS]))
    found, recovered = _means(whole)
    shares: dict[str, Any] = {name: _share(value, None, questions) for name, value in found.items()}
    shares["recovered"] = _share(recovered, None, questions)
    if drawn is not None:
        means, ratios = _means(drawn.T)
        shares = {name: _share(found[name], means[name], questions) for name in found}
        shares["recovered"] = _share(recovered, ratios, questions)
    return Point(k=k, questions=questions, **shares)


def _means(sums: Floats) -> tuple[dict[str, Floats], Floats]:
    """Of sums (4, ...): the means, and the share of the headroom that is recovered; NaN where it is undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        quality, random, oracle = (sums[each] / sums[_QUESTIONS] for each in (_QUALITY, _RANDOM, _ORACLE))
        headroom = oracle - random
        recovered = np.where(headroom > _TINY, (quality - random) / headroom, np.nan)
    return {"quality": quality, "random": random, "oracle": oracle}, recovered


def _share(value: Floats, drawn: Floats | None, questions: int) -> Share:
    known = not np.isnan(value)
    ci95 = interval95(drawn) if known and drawn is not None else None
    return Share(value=float(value) if known else None, ci95=ci95, n=questions)
