"""Folds of a cross-validation that keep the pairs of a user together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FOLDS = 5


def numbered(groups: Sequence[str]) -> NDArray[np.intp]:
    """The number, from 0 on, of the group of each of n rows; groups are numbered by name."""
    number = {group: at for at, group in enumerate(sorted(set(groups)))}
    return np.array([number[group] for group in groups], dtype=np.intp)


def folds(groups: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """The fold, 0 to FOLDS - 1, of each of n rows: one for all rows of a group, of nearly equal size, else random.

    Largest groups are placed first, each into the fold that is smallest then. The order of rows does not matter.
    """
    sizes = np.bincount(groups)
    shuffled = rng.permutation(len(sizes))
    fold_of = np.zeros(len(sizes), dtype=np.intp)
    rows_in = [0] * FOLDS
    for group in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        smallest = rows_in.index(min(rows_in))
        fold_of[group] = smallest
        rows_in[smallest] += int(sizes[group])
    return fold_of[groups]
