"""How many requests a second a server takes: learned from its refusals, forgotten when something else is slower."""

from __future__ import annotations

from prbgen.llm.admission.bucket import Bucket
from prbgen.llm.admission.curve import Curve
from prbgen.llm.admission.meter import Meter
from prbgen.llm.admission.noise import HASTE, Noise
from prbgen.llm.admission.shares import Shares

_BELOW = 0.05  # how far below the measured rate the pace starts
_FAR_BELOW = 0.2  # the same, when the pace before was refused almost at once
_SETTLING = 1.0  # seconds after a cut in which more refusals say nothing new
_ABOVE = 1.1  # how far above the measured rate the pace that was refused may have been right
_ASTRAY = 1.5  # how far beyond its top a pace must have gone for what was known before to be of no use
_BY_CHANCE = 0.05  # share of calls that a server may refuse whatever we do
_TOO_SLOW_TO_TELL = 5.0  # requests a second
_ROUNDED, _MANY = 2.0, 10  # seconds; calls
_SLOWEST = 0.01  # requests a second
_FIRST_TRUST = 0.2  # a first guess is soon tested
_UNUSED = 10.0  # seconds after which a pace that holds nothing up is forgotten
_LAG = 0.05  # seconds that a busy event loop may be late and still catch up


class Pace:
    """The learned limit of requests a second; none until a refusal.

    The pace follows a curve over the seconds in which calls had to wait for it: from a bit below what the server took
    back to there, and then beyond. The first curves are short, later ones long enough that refusals stay rare.
    """

    def __init__(self) -> None:
        self.meter = Meter()
        self.noise = Noise(_BY_CHANCE)
        self._shares = Shares()
        self._bucket: Bucket | None = None
        self._curve = Curve(0.0, 0.0, 1.0)
        self._learned_at = 0.0
        self._needed_until = 0.0
        self._refused_at: float | None = None
        self._trust = _FIRST_TRUST
        self._progress = 0.0
        self._sent_at = 0.0
        self._best = 0.0  # rate since tolerance was last tried

    @property
    def rate(self) -> float | None:
        """Requests a second at present; null: no limit is known."""
        return self._bucket.rate if self._bucket else None

    def refused(self, now: float) -> None:
        """Slow down: to what is worked out when calls may go on, for what is refused until then counts, too."""
        if self._refused_at is None:
            self._refused_at = now

    def wait(self, now: float) -> float:
        """Seconds until the next call's turn."""
        if self._refused_at is not None:
            self.learn(now)
        bucket = self._bucket
        if bucket is None:
            return 0.0
        if now > self._needed_until + _UNUSED:
            self._bucket = None
            self._trust = _FIRST_TRUST
            return 0.0
        bucket.fill(now)
        bucket.rate = self._curve.at(self._progress)
        bucket.size = max(1.0, _LAG * bucket.rate)
        wait = bucket.wait(1, now)
        if wait:
            self._needed_until = now + wait
        return wait

    def sent(self, now: float) -> int | None:
        """A call goes out. Returns the octave of its pace, to count a refusal by; null where no pace held it up."""
        # Only a pace that holds calls up is tested by them, and may rise.
        holds = now <= self._needed_until + _LAG
        octave = self._shares.sent(now, self.rate if holds else None)
        self.meter.count(now)
        self.noise.sent(in_vain=self._bucket is not None and self._bucket.rate < _ASTRAY * self._curve.top)
        if self._bucket:
            self._bucket.take(1)
            if holds:
                self._progress += (now - self._sent_at) * (HASTE if self.noise.tolerant else 1)
        self._sent_at = now
        return octave

    def count_refused(self, octave: int | None, now: float) -> None:
        """A call that was sent at a pace of this octave was refused."""
        self.meter.count(now, -1)
        self._shares.refused(octave)

    def learn(self, now: float) -> None:
        """Work out the new pace, if there was a refusal."""
        if self._refused_at is None:
            return
        if not self._bucket and self.meter.taken(now) < 1:
            # A server that is not open yet says nothing of how fast it will be.
            self._refused_at = None
            return
        held, lasted = now - self._refused_at, self._refused_at - self._learned_at
        if self._bucket and lasted < _SETTLING:
            self._refused_at = None
            learned_at = self._learned_at
            self.go_back(now)
            self._learned_at = learned_at
            return
        # At first a short wait, often a whole second for want of fractions, hides how fast the server is.
        quick = not self._bucket and held <= _ROUNDED and self.meter.taken(now) >= _MANY
        measured = self.meter.rate(self._refused_at if quick else now)
        top, below = max(_SLOWEST, measured), _BELOW
        if self._bucket:
            before = self._bucket.rate
            if before > _ASTRAY * self._curve.top:
                self._trust = _FIRST_TRUST
            if lasted < self._curve.span / 4:
                below = _FAR_BELOW
            # What is measured lags behind a pace that has risen: the truth is between the two.
            top = min(before, max(_ABOVE * top, (top + before) / 2))
        span = self._trust * min(60.0, max(10.0, 40 / top, 20 * held))
        self._trust = min(1.0, 2 * self._trust)
        self._curve = Curve(top, top * below, span)
        self._bucket = Bucket(self._curve.at(0), 1, now)
        self._refused_at = None
        self._begin(now)
        self._best = max(self._best, top)
        if (share := self._shares.alike()) is not None:
            self._shares.forget()
            self._best = top
            self.noise.put_down_to_chance(share)
        elif _TOO_SLOW_TO_TELL < top < self._best / 2:
            # One cut after the other: is it still a limit that asks for them?
            self._best = top
            self.noise.try_tolerance()

    def go_back(self, now: float) -> None:
        """To go beyond what was learned was a mistake."""
        if self._bucket:
            self._bucket = Bucket(self._curve.at(0), 1, now)
            self._begin(now)

    def restart(self, last: int, now: float) -> None:
        """After a pause: measure afresh, and go on at the pace that was learned, if any."""
        self.meter.restart()
        self.noise.restart(last)
        self.go_back(now)
        self._begin(now)

    def _begin(self, now: float) -> None:
        self._learned_at = self._needed_until = self._sent_at = now
        self._progress = 0.0
