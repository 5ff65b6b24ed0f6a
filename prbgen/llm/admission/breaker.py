"""When a model does nothing but fail it is left alone for a while, then tried with one call."""

from __future__ import annotations

import math

_FEWEST = 5  # faults in a row
_SHORTEST = 5.0  # seconds
_LONGEST = 300.0
_BY_CHANCE = 14.0  # a row of faults that chance brings once in e ** 14 calls is none of chance


class Breaker:
    """Closed, all calls pass. Open, none does; when its time is up one call goes through as a probe.

    It opens after as many faults in a row as there were calls in flight (5 at least), of two different calls at least;
    where a share of calls fails by chance, it takes more.
    """

    def __init__(self) -> None:
        self.reason = ""
        self.until: float | None = None
        self._pause = _SHORTEST
        self._probe: object | None = None
        self._streak = 0
        self._needed = 0
        self._keys: set[str] = set()

    def wait(self, now: float) -> float:
        """Seconds until a call may pass; infinite while a probe is out."""
        if self.until is None:
            return 0.0
        return math.inf if self._probe is not None else max(0.0, self.until - now)

    def sent(self, call: object) -> None:
        """A call goes out: the probe, if the breaker is open."""
        if self.until is not None:
            self._probe = call

    def is_probe(self, call: object) -> bool:
        """Whether this call was let through to see how the model is."""
        return self._probe is call

    def answered(self, call: object) -> bool:
        """The server dealt with a call. True: that was the probe, and the breaker is closed again."""
        if self.until is None:
            self._forget()
        if self._probe is not call:
            return False
        self._forget()
        self.until = self._probe = None
        self._pause = _SHORTEST
        return True

    def gone(self, call: object) -> None:
        """A call ended in no way at all: if it was the probe, another has to be."""
        if self._probe is call:
            self._probe = None

    def failed(
        self,
        call: object,
        key: str,
        kind: str,
        retry_after: float | None,
        in_flight: int,
        now: float,
        by_chance: float = 0.0,
    ) -> bool:
        """A fault that another try may cure. True: the breaker opens, or stays open because the probe failed.

        `by_chance` is the share of faults that come whatever we do.
        """
        if self.until is None:
            if not self._is_outage(key, in_flight, by_chance):
                return False
        elif self._probe is call:
            self._pause = min(_LONGEST, 2 * self._pause)
        else:
            return False
        self.reason = kind
        self.until = now + max(self._pause, retry_after or 0.0)
        self._probe = None
        return True

    def _is_outage(self, key: str, in_flight: int, by_chance: float) -> bool:
        if not self._streak:
            self._needed = max(_FEWEST, in_flight)
        needed = max(self._needed, _BY_CHANCE / -math.log(by_chance)) if by_chance else self._needed
        self._streak += 1
        if len(self._keys) < 2:
            self._keys.add(key)
        return self._streak >= needed and len(self._keys) > 1

    def _forget(self) -> None:
        self._streak = 0
        self._keys.clear()
