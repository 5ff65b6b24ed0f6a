"""Limits that are kept by counting: a bucket that fills steadily, and a limit per minute."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

# A minute and a bit: on their way, calls may come closer together than they were sent.
MINUTE = 60.3
_SLACK = 1e-6


class Bucket:
    """Holds up to `size` units and gains `rate` a second; starts full."""

    __slots__ = ("_at", "level", "rate", "size")

    def __init__(self, rate: float, size: float, now: float) -> None:
        self.rate = rate
        self.size = size
        self.level = size
        self._at = now

    def wait(self, need: float, now: float) -> float:
        """Seconds until `need` units are there."""
        self.fill(now)
        missing = need - self.level
        return 0.0 if missing <= _SLACK else missing / self.rate

    def fill(self, now: float) -> None:
        """Add what came in since the last look, at the present rate."""
        if now > self._at:
            self.level = min(self.size, self.level + (now - self._at) * self.rate)
            self._at = now

    def take(self, units: float) -> None:
        """Take units out, into debt if need be; a negative number puts some back."""
        self.level = min(self.size, self.level - units)


@dataclass(slots=True)
class Spending:
    """What a call used, and when it was sent."""

    at: float
    units: float


class PerMinute:
    """At most `limit` units within any minute, spread evenly but for a tenth of a second's worth.

    A call goes when those before it are paid for by the steady flow, and when the last minute has room for it. One
    that is larger than the limit counts as large as the limit: it has a minute to itself.
    """

    __slots__ = ("_flow", "_limit", "_spent", "_sum")

    def __init__(self, limit: int, now: float) -> None:
        self._limit = limit
        self._flow = Bucket(limit / MINUTE, limit / 600, now)
        self._spent: deque[Spending] = deque()
        self._sum = 0.0

    def wait(self, need: float, now: float) -> float:
        """Seconds until `need` units may be spent."""
        while self._spent and self._spent[0].at + MINUTE <= now:
            self._sum -= self._spent.popleft().units
        wait = self._flow.wait(0, now)
        excess = self._sum + min(need, self._limit) - self._limit
        for spending in self._spent:
            if excess <= _SLACK:
                break
            excess -= spending.units
            wait = max(wait, spending.at + MINUTE - now)
        return wait

    def spend(self, units: float, now: float) -> Spending:
        """Count units as spent."""
        spending = Spending(now, 0.0)
        self._spent.append(spending)
        self.correct(spending, units)
        return spending

    def correct(self, spending: Spending, units: float) -> None:
        """It was so many units in truth."""
        more = min(units, self._limit) - spending.units
        spending.units += more
        self._flow.take(more)
        if self._spent and spending.at >= self._spent[0].at:
            self._sum += more
