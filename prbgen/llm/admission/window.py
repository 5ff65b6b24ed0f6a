"""How many calls may be in flight at once: found by doubling, kept by backing off and feeling the way up again."""

from __future__ import annotations

import math

from prbgen.llm.admission.curve import Curve
from prbgen.llm.admission.noise import Noise

START = 16
RESTART = 4
_DOUBLING = 0.125  # seconds between doublings: replies may take far longer, but a refusal would be here by then
_CUT = 0.2  # of the level that was refused
_BY_CHANCE = 0.08  # share of calls that may time out whatever we do
_PATIENCE = 25  # successes at least on the way back, so that a server of few places does not refuse every other call


class Window:
    """The adaptive limit of calls in flight, never above `limit`.

    It doubles while calls wait for it, until the first refusal. From then on each cut is followed by a slow return to
    the level that was refused, and on beyond it.
    """

    def __init__(self, limit: int) -> None:
        self.noise = Noise(_BY_CHANCE)
        self._limit = limit
        self._size = float(min(START, limit))
        self._doubling = True  # by time
        self._rising = True  # by success, as long as nothing speaks against it
        self._next_doubling: float | None = None
        self._progress = 0.0
        self._curve = Curve(0.0, 0.0, 1.0)
        self._proven = self._proven_before = 0.0  # calls at once that went well since the last two refusals
        self._before_cut = 0.0

    @property
    def size(self) -> int:
        """Calls that may be in flight."""
        return int(self._size)

    def restart(self, last: int) -> None:
        """Begin small again, and double."""
        self.noise.restart(last)
        self._size = float(min(RESTART, self._limit))
        self._doubling = self._rising = True
        self._next_doubling = None
        self._proven = self._proven_before = self._before_cut = 0.0

    def wait(self, in_flight: int, now: float) -> float:
        """Seconds until one more call has room; infinite if that takes a reply."""
        if in_flight < self.size:
            return 0.0
        if not self._doubling or self.size >= self._limit:
            return math.inf
        if self._next_doubling is None:
            self._next_doubling = now + _DOUBLING
        if now < self._next_doubling:
            return self._next_doubling - now
        self._next_doubling = now + _DOUBLING
        self._grow_to(2 * self._size)
        return self.wait(in_flight, now)

    def sent(self) -> None:
        """A call goes out."""
        self.noise.sent(in_vain=False)

    def succeeded(self, level: int, *, full: bool) -> None:
        """A call that was sent as the `level`-th in flight, after the last cut, came back; `full`: there is demand."""
        self._proven = max(self._proven, level)
        if not full:
            return
        if self._rising:
            self._grow_to(self._size + 1)
        else:
            self._progress += 1
            known = self.size <= self._curve.top
            self._grow_to(max(self._size, self._curve.at(self._progress)))
            if known and self.size > self._curve.top:
                self.noise.afresh()

    def refused(self, level: int, *, paced: bool) -> None:
        """A request was refused, and it is not said of what there was too much: calls at once, or calls a second?

        If so many at once went well since the last refusals, it was the rate; it may have been the rate at the last
        cut, too, so that is taken back. The calls at once it was if more went out than are known to go well, although
        they were `paced`. Where neither holds, nothing is known yet.
        """
        lately = max(self._proven, self._proven_before)
        if level <= lately:
            self._size = max(self._size, self._before_cut)
            self._before_cut = 0.0
            self._rising = True
        elif lately and paced:
            self.cut(level)
        self._doubling = False
        self._proven_before, self._proven = self._proven, 0.0

    def cut(self, level: int) -> None:
        """Fewer calls at once: the `level`-th was one too many."""
        self._before_cut = max(self._before_cut, self._size)
        top = max(1.0, level - 1.0)
        depth = max(1.0, _CUT * top)
        self._feel_from(top, depth)
        self._size = min(self._size, max(1.0, top - depth))
        self._proven = self._proven_before = 0.0

    def _feel_from(self, top: float, depth: float) -> None:
        self._doubling = self._rising = False
        self._curve = Curve(top, depth, max(_PATIENCE, 4 * top))
        self._progress = 0.0

    def _grow_to(self, size: float) -> None:
        self._size = min(float(self._limit), size)
