"""The coefficients of a set of answers with their intervals, or why there are none."""

from __future__ import annotations

import krippendorff
import numpy as np

from prbgen.percentiles import UNDEFINED, interval95
from prbgen.recipe import ValidationSettings
from prbgen.validation.agreement.bootstrap import not_resampled, resampled
from prbgen.validation.agreement.coincidences import Coincidences
from prbgen.validation.agreement.tallies import Floats
from prbgen.validation.agreement.units import Answers, Ints
from prbgen.validation.report import Coefficients, Figure

_NO_VARIATION = "all answers are the same, so nothing tells agreement from chance"
_ONE_ANSWER = "only one answer was possible, so nothing tells agreement from chance"
# Sums of floats may differ in their last digits from one machine to another; the report is to be the same on all.
_DIGITS = 9


def coefficients(answers: Answers, settings: ValidationSettings, intra_rater: Figure | None = None) -> Coefficients:
    """Krippendorff's alpha, raw agreement and Gwet's AC1, beside what is known of `intra_rater` agreement.

    Raw agreement is over pairs of raters in a unit, each unit weighing the same; AC1 takes every category that could
    be answered as possible. Intervals are over users and raters: see `resampled`.
    """
    counts = answers.counts
    shared = counts[counts.sum(axis=1) >= 2]
    missing = _missing(answers, shared)
    if missing:
        nothing = Figure(value=None, reason=missing)
        return _found(answers, 0, nothing, nothing, nothing, intra_rater)
    coincidences = Coincidences(answers)
    value = coincidences.weighted(np.ones((answers.raters, 1)), np.ones((answers.users, 1)))
    why = not_resampled(answers)
    drawn = None if why else resampled(answers, coincidences, settings.resamples, settings.seed)

    def figure(value: float, replicates: Floats | None) -> Figure:
        if np.isnan(value):
            return Figure(value=None, n=len(shared), reason=_NO_VARIATION if answers.categories > 1 else _ONE_ANSWER)
        ci95 = None if replicates is None else interval95(replicates)
        reason = None if ci95 else why or UNDEFINED
        ends = (round(ci95[0], _DIGITS), round(ci95[1], _DIGITS)) if ci95 else None
        return Figure(value=round(value, _DIGITS), ci95=ends, n=len(shared), reason=reason)

    return _found(
        answers,
        len(shared),
        figure(_alpha(shared, ordinal=answers.ordinal), drawn.alpha if drawn else None),
        figure(float(value.raw[0]), drawn.raw if drawn else None),
        figure(float(value.ac1[0]), drawn.ac1 if drawn else None),
        intra_rater,
    )


def _missing(answers: Answers, shared: Ints) -> str | None:
    if not answers.raters:
        return "nobody answered it"
    if answers.raters == 1:
        return "only one rater answered it"
    return None if len(shared) else "no two raters answered it about the same"


def _alpha(shared: Ints, *, ordinal: bool) -> float:
    said = shared[:, shared.any(axis=0)]
    if said.shape[1] < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=said, level_of_measurement="ordinal" if ordinal else "nominal"))


def _found(
    answers: Answers, units: int, alpha: Figure, raw: Figure, ac1: Figure, intra_rater: Figure | None
) -> Coefficients:
    return Coefficients(
        raters=answers.raters,
        units=units,
        ratings=answers.given,
        alpha=alpha,
        raw=raw,
        ac1=ac1,
        intra_rater=intra_rater,
    )
