"""How many calls a second a server took lately."""

from __future__ import annotations

from collections import deque

_BIN = 0.25  # seconds
_MEMORY = 60.0  # seconds
_RECENT = 10.0  # seconds that a rate is measured over, unless they hold too few calls
_ENOUGH = 30  # calls


class Meter:
    """Calls that a server took lately, by the time they were sent."""

    def __init__(self) -> None:
        self._bins: deque[list[float]] = deque()
        self._busy_since: float | None = None

    def restart(self) -> None:
        """Forget everything."""
        self._bins.clear()
        self._busy_since = None

    def waiting(self, now: float, *, anyone: bool) -> None:
        """Note whether calls are waiting: only then is the rate the server's, not ours."""
        if not anyone:
            self._busy_since = None
        elif self._busy_since is None:
            self._busy_since = now

    def count(self, now: float, calls: int = 1) -> None:
        """A call was sent; or, with -1, one was refused."""
        bins = self._bins
        if bins and now < bins[-1][0] + _BIN:
            bins[-1][1] += calls
            return
        while bins and bins[0][0] < now - _MEMORY:
            bins.popleft()
        bins.append([now, calls])

    def taken(self, now: float) -> float:
        """Calls that were taken in the last minute."""
        return sum(number for start, number in self._bins if start >= now - _MEMORY)

    def rate(self, now: float) -> float:
        """Calls a second that were taken: lately, or since calls began to wait, whichever is more."""
        calls, recent, busy = 0.0, 0.0, 0.0
        since = now
        for start, number in reversed(self._bins):
            if start < now - _MEMORY:
                break
            calls += number
            since = start
            if not recent and now - start >= _RECENT and calls >= _ENOUGH:
                recent = calls / (now - start)
            if self._busy_since is not None and start + _BIN >= self._busy_since:
                busy = calls / max(_BIN, now - max(start, self._busy_since))
        return max(recent or calls / max(_RECENT, now - since), busy)
