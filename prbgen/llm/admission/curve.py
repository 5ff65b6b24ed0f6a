"""How a limit that was found by trial is approached again, and then overstepped to see whether it still stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic through `top`, the level that was found: quick at first, flat around the top, quick again beyond.

    It rises from `top - depth` to `top` while `progress` goes from 0 to `span`: little time is lost far below the
    limit, refusals are rare near it, and a limit that was lifted is soon left behind: after two spans it doubles.
    """

    top: float
    depth: float
    span: float

    def at(self, progress: float) -> float:
        """The level after so much progress, in whatever unit `span` is."""
        x = progress / self.span - 1
        level = self.top + self.depth * x * x * x
        return level if x <= 1 else level * 2 ** min(x - 1, 60.0)
