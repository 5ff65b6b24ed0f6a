"""Krippendorff's alpha, raw agreement and Gwet's AC1 where raters and users have weights: what resampling needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prbgen.validation.agreement.tallies import Floats, ratio, summed, tally
from prbgen.validation.agreement.units import Answers, Ints


@dataclass(frozen=True)
class Replicates:
    """Each coefficient in each replicate, NaN where it is undefined: (replicates,)."""

    alpha: Floats
    raw: Floats
    ac1: Floats


class Coincidences:
    """What was said together of the same unit, by whom, so that any weights of raters and users can be put to it.

    A weight is how often a rater or user was drawn. Only ratings by different raters coincide: one who was drawn twice
    does not agree with themself. With n_c the weights of those who say c of a unit, s_c the squared ones,
    m = sum n_c and P = m^2 - sum s_c, its coincidences are (n_c^2 - s_c) m / P for c with c, and n_c n_k m / P for c
    with k. With weights of 1 that is Krippendorff's coincidence matrix (2011), and agreement and chance agreement are
    Gwet's with missing ratings (2014).

    The weights of raters are the same for all units of the same raters (a panel), so what was said is tallied by panel
    and user first: weights of users sum it up to panels, whose weights then sum up few numbers.
    """

    def __init__(self, answers: Answers) -> None:
        """Tally; there has to be a unit that two raters rated."""
        kinds, raters = answers.categories, answers.raters
        self._categories, self._ordinal = kinds, answers.ordinal
        panel = _panels(answers)
        self._users = answers.users
        self._units = tally(panel, answers.user, answers.users)

        of_entry, user = panel[answers.unit], answers.user[answers.unit]
        seats, seat = np.unique(of_entry * raters + answers.rater, return_inverse=True)
        self._seat_rater, self._seat_panel = seats % raters, seats // raters
        self._said = tally(answers.value * len(seats) + seat, user, answers.users)
        self._said_kind, self._said_seat = np.divmod(self._said.keys, len(seats))

        first, second = _together(answers.unit)
        code = (of_entry[first] * raters + answers.rater[first]) * raters + answers.rater[second]
        rows, row = np.unique(code, return_inverse=True)
        self._row_first, self._row_second = rows // raters % raters, rows % raters
        self._row_panel = rows // raters**2
        one, other = answers.value[first], answers.value[second]
        cell = np.minimum(one, other) * kinds + np.maximum(one, other)
        self._coincide = tally(cell * len(rows) + row, user[first], answers.users)
        self._cell, self._cell_row = np.divmod(self._coincide.keys, len(rows))

    @property
    def size(self) -> int:
        """How many numbers one replicate takes at a time."""
        return max(len(self._coincide.keys), len(self._said.keys), self._users)

    def weighted(self, raters: Floats, users: Floats) -> Replicates:
        """The coefficients with weights of raters, (raters, replicates), and of users, (users, replicates)."""
        kinds, replicates = self._categories, users.shape[1]
        units = self._units.summed(users)
        total = summed(self._seat_panel, raters[self._seat_rater], len(units))  # m
        share = raters[self._seat_rater] * ratio(1.0, total)[self._seat_panel]
        said = summed(self._said_kind, self._said.summed(users) * share[self._said_seat], kinds)
        shares = ratio(said, (units * (total > 0)).sum(axis=0))

        rows = 2 * raters[self._row_first] * raters[self._row_second]
        pairs = summed(self._row_panel, rows, len(units))  # P
        rows *= ratio(1.0, pairs)[self._row_panel]
        coincide = self._coincide.summed(users)
        same = np.flatnonzero(self._cell % (kinds + 1) == 0)
        alike = (coincide[same] * rows[self._cell_row[same]]).sum(axis=0)
        raw = ratio(alike, (units * (pairs > 0)).sum(axis=0), np.nan)
        rows *= total[self._row_panel]
        coincide *= rows[self._cell_row]
        half = summed(self._cell, coincide, kinds**2).reshape(kinds, kinds, replicates) / 2
        return Replicates(alpha=self._alpha(half + half.transpose(1, 0, 2)), raw=raw, ac1=self._ac1(raw, shares))

    def _alpha(self, coincidences: Floats) -> Floats:
        margins = coincidences.sum(axis=0)
        distances = self._distances(margins)
        observed = (coincidences * distances).sum(axis=(0, 1))
        expected = (margins[:, None] * margins[None] * distances).sum(axis=(0, 1))
        return 1 - ratio((margins.sum(axis=0) - 1) * observed, expected, np.nan)

    def _distances(self, margins: Floats) -> Floats:
        """Squared differences between categories: (categories, categories, replicates or 1)."""
        if self._ordinal:
            middles = np.cumsum(margins, axis=0) - margins / 2
            squared: Floats = (middles[:, None] - middles[None]) ** 2
            return squared
        return 1 - np.eye(self._categories)[..., None]

    def _ac1(self, raw: Floats, shares: Floats) -> Floats:
        if self._categories < 2:
            return np.full_like(raw, np.nan)
        by_chance = (shares * (1 - shares)).sum(axis=0) / (self._categories - 1)
        found: Floats = (raw - by_chance) / (1 - by_chance)
        return found


def _panels(answers: Answers) -> Ints:
    """The number of each unit's panel: who rated it."""
    sizes = np.bincount(answers.unit)
    place = np.arange(len(answers.unit)) - (np.cumsum(sizes) - sizes)[answers.unit]
    seating = np.full((len(sizes), int(sizes.max())), -1, dtype=np.int64)
    seating[answers.unit, place] = answers.rater
    return np.unique(seating, axis=0, return_inverse=True)[1].reshape(-1)


def _together(unit: Ints) -> tuple[Ints, Ints]:
    """All pairs of entries of one unit, each pair once; `unit` is in order."""
    found = []
    for apart in range(1, int(np.bincount(unit).max())):
        first = np.flatnonzero(unit[:-apart] == unit[apart:])
        found.append((first, first + apart))
    first, second = (np.concatenate(each) for each in zip(*found, strict=True))
    return first, second
