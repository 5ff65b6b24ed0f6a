"""The terms and features by which chosen and rejected answers differ most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from prbgen.generate.audit.results import Telling
from prbgen.generate.audit.view import View, view
from prbgen.schema import PreferencePair

# Of very many terms some reach this by chance; it keeps out what hardly differs at all.
LEAST_Z = 2.0
LEAST_PAIRS = 5


def telling(pairs: Sequence[PreferencePair], most: int = 20, *, seen: View | None = None) -> tuple[Telling, ...]:
    """At most so many terms and features, those furthest from chance first; none where nothing differs.

    A term counts by the pairs in which only one side has it, a feature by those in which one side has more of it. `z`
    is that of a sign test (McNemar 1947), which does not see that some pairs are by one user.
    `seen` is what `view(pairs)` gives, where it is at hand.
    """
    seen = seen or view(pairs)
    found = _differing("feature", seen.feature_names, _per_column(seen.features > 0), _per_column(seen.features < 0))
    has = (seen.in_chosen > 0).astype(np.int64) - (seen.in_rejected > 0).astype(np.int64)
    found += _differing("term", seen.terms, _per_column(has > 0), _per_column(has < 0))
    return tuple(sorted(found, key=lambda each: (-abs(each.z), each.kind, each.name))[:most])


def _per_column(matrix: Any) -> Any:
    return np.asarray(matrix.sum(axis=0)).ravel()


def _differing(kind: Literal["term", "feature"], names: Sequence[str], chosen: Any, rejected: Any) -> list[Telling]:
    """Those that enough pairs differ in, and far enough from half of them to each side."""
    both = chosen + rejected
    z = (chosen - rejected) / np.sqrt(np.maximum(both, 1))
    return [
        Telling(
            kind,
            names[at],
            "chosen" if z[at] > 0 else "rejected",
            int(chosen[at]),
            int(rejected[at]),
            round(float(z[at]), 6),
        )
        for at in np.flatnonzero((both >= LEAST_PAIRS) & (np.abs(z) >= LEAST_Z)).tolist()
    ]
