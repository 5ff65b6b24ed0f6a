"""Tells faults that mean "too much" from faults that come whatever we do."""

from __future__ import annotations

import math

HASTE = 20  # how much faster than else a limit is overstepped to see whether there is one
_RECENT = 100.0  # calls that a judgement rests on; older ones fade
_STRICT = 300  # calls for which every fault counts, after the first time that there were too many
_STRICTEST = 9600
_MARGIN = 0.1  # by how much more than a share that was found may be refused
_HIGHEST = 0.7  # the share that is tolerated at most: of a hundred calls more can be told from it
_TRIAL = 200  # calls after which tolerance must have shown its use


class Noise:
    """Judges faults, by turns tolerant and strict.

    While tolerant, faults are put down to chance up to about the `usual` share of calls, or one that was found. When
    they are more, there is a limit: for a while every fault tells where it lies. Then tolerance is tried again, ever
    more rarely where it fails, for only going beyond the supposed limit shows that there is none. Calls are known by
    their number.
    """

    def __init__(self, usual: float) -> None:
        self._usual = usual
        self._found = 0.0  # a share that was found while we are tolerant
        self._strict = _STRICT
        self._tolerant = False
        self._sent = 0  # since the last change of mind
        self.restart(0)

    @property
    def tolerant(self) -> bool:
        """Whether single faults count for nothing at present."""
        return self._tolerant

    @property
    def share(self) -> float:
        """The share of calls whose faults are put down to chance at present."""
        return self._by_chance if self._tolerant else 0.0

    def try_tolerance(self) -> None:
        """Now, unless that failed several times."""
        if not self._tolerant and self._strict <= 2 * _STRICT:
            self._change(tolerant=True)

    def put_down_to_chance(self, share: float) -> None:
        """So many faults come however slow we are."""
        self._found = min(_HIGHEST, share + _MARGIN)
        self._change(tolerant=True)

    def restart(self, last: int) -> None:
        """Calls up to the last that was sent say nothing any more."""
        self._last = last
        self.afresh()

    def afresh(self) -> None:
        """From here on it gets interesting: what went before is not counted."""
        self._calls = self._faults = 0.0

    def sent(self, *, in_vain: bool) -> None:
        """A call goes out. `in_vain`: if tolerance was tried till now, it did not get us any further."""
        fading = 1 - 1 / _RECENT
        self._calls = fading * self._calls + 1
        self._faults *= fading
        self._sent += 1
        if not self._tolerant:
            if self._sent > self._strict:
                self._change(tolerant=True)
        elif self._sent % _TRIAL == 0:
            # It may have got better.
            self._found = min(self._found, self._faults / self._calls + _MARGIN)
        if self._tolerant and self._sent == _TRIAL and in_vain:
            self._change(tolerant=False)
        elif self._tolerant and self._sent == _STRICTEST:
            self._strict = _STRICT

    def too_much(self, number: int, last: int, *, vague: bool = False) -> bool:
        """A call failed. True: by our doing, so calls up to the last say nothing any more.

        One fault that is `vague` (it may have many causes) never tells anything.
        """
        if number <= self._last:
            return False
        self._faults += 1
        if self._tolerant or vague:
            usual = self._by_chance * self._calls
            if self._faults < 1 + usual + 3 * math.sqrt(usual):  # standard deviations
                return False
            self._change(tolerant=False)
        self.restart(last)
        return True

    @property
    def _by_chance(self) -> float:
        return max(self._usual, self._found)

    def _change(self, *, tolerant: bool) -> None:
        if not tolerant and self._sent <= _STRICTEST:
            self._strict = min(_STRICTEST, 2 * self._strict)
        self._tolerant = tolerant
        if not tolerant:
            self._found = 0.0
        self._sent = 0
        self.afresh()
