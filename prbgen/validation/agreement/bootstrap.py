"""How well coefficients are known: what they would be with other users and other raters."""

from __future__ import annotations

import numpy as np

from prbgen.validation.agreement.coincidences import Coincidences, Replicates
from prbgen.validation.agreement.tallies import Floats
from prbgen.validation.agreement.units import Answers

_LEAST_RATERS = 3  # of two, all draws of both are alike
_AT_ONCE = 2_000_000  # numbers in one array, so that memory stays small


def resampled(answers: Answers, coincidences: Coincidences, resamples: int, seed: int) -> Replicates:
    """The coefficients in samples that draw users and raters with replacement, each from its own.

    The pigeonhole bootstrap (Owen 2007): a rating weighs the product of how often its rater and its user were drawn.
    One rater alone, who can agree with nobody, is no sample (of three raters, one draw in nine): it is drawn anew.
    """
    rng = np.random.default_rng(seed)
    step = max(1, min(resamples, _AT_ONCE // coincidences.size))
    parts = []
    for start in range(0, resamples, step):
        replicates = min(step, resamples - start)
        raters = _panels(rng, answers.raters, replicates)
        parts.append(coincidences.weighted(raters, _drawn(rng, answers.users, replicates)))
    return Replicates(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("alpha", "raw", "ac1")))


def not_resampled(answers: Answers) -> str | None:
    """Why no interval can be given; null if one can."""
    if answers.raters < _LEAST_RATERS:
        return f"no interval: {answers.raters} raters are too few to resample"
    if answers.users < 2:
        return "no interval: all is of one user"
    return None


def _panels(rng: np.random.Generator, count: int, replicates: int) -> Floats:
    """How often each of `count` >= 2 raters is drawn, at least two of them in each replicate: (count, replicates)."""
    drawn = _drawn(rng, count, replicates)
    while (alone := (drawn == count).any(axis=0)).any():
        drawn[:, alone] = _drawn(rng, count, int(alone.sum()))
    return drawn


def _drawn(rng: np.random.Generator, count: int, replicates: int) -> Floats:
    """How often each of `count` is drawn: (count, replicates)."""
    draws = rng.integers(count, size=(count, replicates)) * replicates + np.arange(replicates)
    return np.bincount(draws.ravel(), minlength=count * replicates).reshape(count, replicates).astype(np.float64)
