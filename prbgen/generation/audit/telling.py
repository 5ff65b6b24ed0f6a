"""The terms and features by which chosen and rejected answers differ most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from prbgen.generation.audit.results import Telling
from prbgen.generation.audit.view import View, view
from prbgen.schema import PreferencePair

# It keeps out what hardly differs at all.
_LEAST_Z = 2.0
_LEAST_PAIRS = 5
# So often a set without any difference may have one term or feature that is called telling.
_FALSE_ALARMS = 0.05


def telling(pairs: Sequence[PreferencePair], most: int = 20, *, seen: View | None = None) -> tuple[Telling, ...]:
    """At most so many terms and features, those furthest from chance first; none where nothing differs.

    A term counts by the pairs in which only one side has it, a feature by those in which one side has more of it. `z`
    is that of a sign test (McNemar 1947), which does not see that some pairs are by one user; `by_chance` goes by
    Bonferroni's bound over all that were looked at. `seen` is what `view(pairs)` gives, where it is at hand.
    """
    seen = seen or view(pairs)
    has = (seen.in_chosen > 0).astype(np.int64) - (seen.in_rejected > 0).astype(np.int64)
    counted: list[_Counted] = [
        ("feature", seen.feature_names, _per_column(seen.features > 0), _per_column(seen.features < 0)),
        ("term", seen.terms, _per_column(has > 0), _per_column(has < 0)),
    ]
    looked_at = sum(int((chosen + rejected >= _LEAST_PAIRS).sum()) for _, _, chosen, rejected in counted)
    found = [each for kind in counted for each in _differing(*kind, beyond_chance=_bound(looked_at))]
    return tuple(sorted(found, key=lambda each: (-abs(each.z), each.kind, each.name))[:most])


_Counted: TypeAlias = tuple[Literal["term", "feature"], Sequence[str], Any, Any]


def _bound(looked_at: int) -> float:
    """The z that one of so many goes beyond by chance in one of twenty sets."""
    from scipy.stats import norm

    return float(norm.isf(_FALSE_ALARMS / 2 / max(looked_at, 1)))


def _per_column(matrix: Any) -> Any:
    return np.asarray(matrix.sum(axis=0)).ravel()


def _differing(
    kind: Literal["term", "feature"], names: Sequence[str], chosen: Any, rejected: Any, *, beyond_chance: float
) -> list[Telling]:
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
            by_chance=bool(abs(z[at]) <= beyond_chance),
        )
        for at in np.flatnonzero((both >= _LEAST_PAIRS) & (np.abs(z) >= _LEAST_Z)).tolist()
    ]
