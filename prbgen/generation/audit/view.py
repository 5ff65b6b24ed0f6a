"""Pairs as a shallow model sees them. Worked out once, as it takes most of the time of an audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prbgen.generation.audit.features import feature_differences
from prbgen.generation.audit.terms import term_counts
from prbgen.schema import PreferencePair


@dataclass(frozen=True)
class View:
    """n pairs in an order of their own, so that sums come out the same to the last digit however a file was sorted.

    `features` (n x k) are chosen minus rejected; `in_chosen` and `in_rejected` are sparse counts of `terms`.
    """

    pairs: tuple[PreferencePair, ...]
    feature_names: tuple[str, ...]
    features: NDArray[np.float64]
    terms: tuple[str, ...]
    in_chosen: Any
    in_rejected: Any


def view(pairs: Sequence[PreferencePair]) -> View:
    """Look at pairs, of which there may be none."""
    ordered = tuple(sorted(pairs, key=_place))
    return View(ordered, *feature_differences(ordered), *term_counts(ordered))


def _place(pair: PreferencePair) -> tuple[str, ...]:
    """What a pair is ordered by: the same for a pair and for its turned round self."""
    return (pair.user_key, *sorted((pair.chosen, pair.rejected)), pair.id)
