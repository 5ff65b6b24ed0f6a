"""Clean, leaking, or too few pairs to say."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, inf

from prbgen.generation.audit.results import Shortcut, Verdict

CHANCE = 0.5
# Clean: every interval ends below the first. Leaks: not clean, and one begins above the second.
CLEAN_BELOW = 0.60
LEAKS_ABOVE = 0.55


def verdict_on(shortcuts: Iterable[Shortcut]) -> Verdict:
    """The verdict over all shortcuts that could be measured; "unclear" without any."""
    intervals = [each.ci95 for each in shortcuts if each.ci95]
    if intervals and all(high < CLEAN_BELOW for _, high in intervals):
        return "clean"
    return "leaks" if any(low > LEAKS_ABOVE for low, _ in intervals) else "unclear"


def pairs_needed(shortcuts: Iterable[Shortcut], pairs: int) -> int | None:
    """How many pairs a clear verdict would take, where so many are too few; null if nothing could be measured.

    It supposes that accuracies stay as they are and that intervals shrink with the root of the number of pairs. One
    shortcut is enough to leak; to be clean takes all.
    """
    measured = [(each.accuracy, each.ci95) for each in shortcuts if each.accuracy is not None and each.ci95]
    if not measured:
        return None
    clean = max(_times(high - accuracy, CLEAN_BELOW - accuracy) for accuracy, (_, high) in measured)
    leaks = min(_times(accuracy - low, accuracy - LEAKS_ABOVE) for accuracy, (low, _) in measured)
    # An accuracy is below the one bar or above the other.
    return max(floor(pairs * min(clean, leaks)), pairs) + 1


def _times(half: float, room: float) -> float:
    """How many times the pairs make half an interval fit into the room that there is; infinite if there is none."""
    return (half / room) ** 2 if room > 0 else inf
