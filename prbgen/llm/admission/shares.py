"""What share of calls is refused, by how fast they were sent: where it stays the same, no limit is the cause."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

_WHILE = 2.0  # seconds in which calls are counted to tell how fast they are sent
_RECENT = 100  # calls at a pace; older ones count for less
_ENOUGH, _OFTEN = 12, 5  # calls, and refusals among them, before anything is said of a pace
_SLOWER = 2  # octaves: two to eight times as fast
_ALIKE = 0.7  # the smaller of two shares over the larger one, at least
_LEAST, _MOST = 0.1, 0.8  # less may be overstepping a limit now and then; with more the server is as good as away


@dataclass(frozen=True)
class _Found:
    """A share that is refused, at paces up to an octave."""

    octave: int
    share: float


class Shares:
    """Calls and refusals by octave of the pace (1 to 2 calls a second, 2 to 4, ...)."""

    def __init__(self) -> None:
        self._calls: dict[int, float] = {}
        self._refused: dict[int, float] = {}
        self._times: deque[float] = deque()

    def sent(self, now: float, pace: float | None) -> int | None:
        """A call goes out; `pace`: so many a second go out at most, null where nothing is to be told of that.

        Returns the octave, to tell its refusal by.
        """
        really = self._rate(now)
        if pace is None:
            return None
        octave = math.floor(math.log2(min(pace, really)))
        fading = 1 - 1 / _RECENT
        self._calls[octave] = fading * self._calls.get(octave, 0.0) + 1
        self._refused[octave] = fading * self._refused.get(octave, 0.0)
        return octave

    def refused(self, octave: int | None) -> None:
        """It was refused."""
        if octave in self._refused:
            # It may have been sent before all was forgotten.
            self._refused[octave] = min(self._calls[octave], self._refused[octave] + 1)

    def alike(self) -> float | None:
        """The share that is refused, if it is much the same at the slowest paces and at several times those; else null.

        Of both the larger one.
        """
        slow = self._from(-math.inf, refused=_OFTEN)
        fast = self._from(slow.octave + _SLOWER) if slow else None
        if not (slow and fast):
            return None
        less, more = sorted((slow.share, fast.share))
        return more if less >= _ALIKE * more and less >= _LEAST and more <= _MOST else None

    def forget(self) -> None:
        """What was found has been told."""
        self._calls.clear()
        self._refused.clear()

    def _rate(self, now: float) -> float:
        """Calls a second, with the one that goes out."""
        times = self._times
        times.append(now)
        # One from before that while stays, for a pace that is slower.
        while len(times) > 2 and times[1] < now - _WHILE:
            times.popleft()
        gap = now - times[0]
        return 1 / gap if len(times) == 2 and gap > _WHILE else len(times) / _WHILE

    def _from(self, least: float, *, refused: int = 0) -> _Found | None:
        """What is known of the slowest paces from an octave on: of as few as tell anything."""
        calls = found = 0.0
        for octave in sorted(each for each in self._calls if each >= least):
            calls += self._calls[octave]
            found += self._refused[octave]
            if calls >= _ENOUGH and found >= refused:
                return _Found(octave, found / calls)
        return None
