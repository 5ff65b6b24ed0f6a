"""Axes of a plot: where values stand on them, and round numbers beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor, log10

_TICKS = 5
_ROOM = 0.06  # beside the outermost values
_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Scale:
    """From values, `low` to `high`, to places in the drawing, `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float) -> Scale:
        """Wide enough for all of them, with some room beside."""
        known = list(values)
        low, high = min(known), max(known)
        room = _ROOM * (high - low) or max(0.1 * abs(high), 0.05)
        return cls(low - room, high + room, start, end)

    def at(self, value: float) -> float:
        """Where a value stands."""
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Where round numbers stand, and how they are written."""
        span = (self.high - self.low) / _TICKS
        power = 10.0 ** floor(log10(span))
        step = power * next(each for each in _STEPS if each * power >= span * (1 - 1e-9))
        # Enough digits for two neighbours to differ, whatever their size.
        digits = max(0, floor(log10(max(abs(self.low), abs(self.high)))) - floor(log10(step)) + 1) + (
            1 if step / power == 2.5 else 0
        )
        for number in range(ceil(self.low / step), floor(self.high / step) + 1):
            yield self.at(number * step), f"{number * step:.{max(digits, 1)}g}".replace("-", "−")
