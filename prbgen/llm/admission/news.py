"""One refusal is news to all: until when no call may go out, by what the server said."""

from __future__ import annotations

from prbgen.llm.admission.hints import Allowance, Hints

_FIRST = 0.25  # seconds to wait when the server does not say how long
_LONGEST = 60.0


class _Left:
    """What is left of an allowance until it is reset."""

    __slots__ = ("_left", "_until")

    def __init__(self) -> None:
        self._left = 0.0
        self._until = 0.0

    def told(self, allowance: Allowance | None, now: float) -> None:
        if allowance and allowance.remaining is not None and allowance.reset is not None:
            self._left = allowance.remaining
            self._until = now + allowance.reset

    def wait(self, need: float, now: float) -> float:
        return self._until - now if now < self._until and need > self._left else 0.0

    def spend(self, units: float) -> None:
        self._left -= units


class News:
    """Holds all calls after a refusal, and where headers say that nothing is left."""

    def __init__(self) -> None:
        self._until = 0.0
        self._back_off = _FIRST
        self._requests = _Left()
        self._tokens = _Left()

    def wait(self, tokens: float, now: float) -> float:
        """Seconds until a call of so many tokens may go out, as far as is known."""
        held = self._until - now if now < self._until else 0.0
        return max(held, self._requests.wait(1, now), self._tokens.wait(tokens, now))

    def sent(self, tokens: float) -> None:
        """A call goes out."""
        self._requests.spend(1)
        self._tokens.spend(tokens)

    def refused(self, retry_after: float | None, now: float, *, too_much: bool) -> None:
        """A call was refused. Where the server names no time, a refusal that comes by chance holds nobody up."""
        if not retry_after:
            if not too_much:
                return
            retry_after, self._back_off = self._back_off, min(_LONGEST, 2 * self._back_off)
        self._until = max(self._until, now + retry_after)

    def succeeded(self, hints: Hints | None, now: float, *, fresh: bool) -> None:
        """A call came back, with what its headers say."""
        if fresh:
            self._back_off = _FIRST
        if hints:
            self._requests.told(hints.requests, now)
            self._tokens.told(hints.tokens, now)
