"""How long a queue takes at the pace of late."""

from __future__ import annotations

import math

# The newest batch counts this much, all earlier ones together the rest.
_NEWEST = 0.3
_LONGEST = 60


class Pace:
    """Inputs a second, learnt from batches; unknown before the first one."""

    def __init__(self) -> None:
        self._seconds_each: float | None = None

    def note(self, inputs: int, seconds: float) -> None:
        """A batch of so many inputs took so long."""
        each, before = seconds / inputs, self._seconds_each
        self._seconds_each = each if before is None else _NEWEST * each + (1 - _NEWEST) * before

    def seconds_for(self, inputs: int) -> int:
        """Whole seconds until so many inputs are done: from 1 to 60, and 1 while the pace is unknown."""
        return min(max(1, math.ceil(inputs * (self._seconds_each or 0))), _LONGEST)
