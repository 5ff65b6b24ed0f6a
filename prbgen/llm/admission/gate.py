"""The gate before one model: gives calls their turn, and learns from how they went."""

from __future__ import annotations

import asyncio
import math

from prbgen.llm.admission.breaker import Breaker
from prbgen.llm.admission.bucket import PerMinute
from prbgen.llm.admission.hints import Hints
from prbgen.llm.admission.lines import Lines
from prbgen.llm.admission.news import News
from prbgen.llm.admission.pace import Pace
from prbgen.llm.admission.slot import Limits, Pause, Slot, Stopped
from prbgen.llm.admission.window import Window
from prbgen.llm.model import FaultKind

_REFUSED: frozenset[str] = frozenset({"rate_limit", "overload"})
_TOO_MUCH: frozenset[str] = _REFUSED | {"timeout"}
_PASSING: frozenset[str] = _TOO_MUCH | {"connection", "server", "no_completion"}
_WORTH_TELLING = 5.0  # seconds: shorter waits are everyday business, not a pause


class Gate:
    """Lets calls to one model out: as many and as fast as limits and server allow, in order, retries first.

    When `stop` is set those who wait, and those who come, get `Stopped`. To be used within one event loop.
    """

    def __init__(self, limits: Limits, *, stop: asyncio.Event | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        now = self._loop.time()
        self._stop = stop
        self._window = Window(limits.concurrency)
        self._pace = Pace()
        self._news = News()
        self._breaker = Breaker()
        self._requests = PerMinute(limits.rpm, now) if limits.rpm else None
        self._tokens = PerMinute(limits.tpm, now) if limits.tpm else None
        self._lines: Lines[Slot] = Lines()
        self._timer: asyncio.TimerHandle | None = None
        self._watch: asyncio.Task[None] | None = None
        self._places = 0  # taken, from turn to leaving
        self._unjudged = 0  # of these, still without a verdict
        self._sent = 0  # in all
        self._known = 0  # calls that were sent at the last cut
        self._known_before = 0  # the same for the cut before
        self._reopened = 0  # the same for the end of the last pause

    @property
    def in_flight(self) -> int:
        """Calls that have a place."""
        return self._places

    @property
    def waiting(self) -> int:
        """Calls that wait for their turn."""
        return self._lines.waiting

    @property
    def window(self) -> int:
        """Calls that may be in flight at present."""
        return self._window.size

    @property
    def rate(self) -> float | None:
        """Requests a second that the server was found to take; null: no such limit was met."""
        return self._pace.rate

    @property
    def pause(self) -> Pause | None:
        """Why nothing goes out for seconds on end, if so."""
        now = self._loop.time()
        if self._breaker.until is not None:
            return Pause(self._breaker.reason, max(0.0, self._breaker.until - now, self._news.wait(0, now)))
        held = self._news.wait(0, now)
        return Pause("rate_limit", held) if held >= _WORTH_TELLING else None

    def slot(self, key: str, *, tokens: float = 0, again: bool = False) -> Slot:
        """A place for a call, to be entered by `async with`.

        `key` tells calls apart (a retry has the key of the first attempt), `tokens` is what it may use by estimate,
        `again` marks a retry.
        """
        return Slot(self, key, tokens, again)

    async def _enter(self, slot: Slot, *, again: bool) -> None:
        if self._stopped():
            raise Stopped
        now = self._loop.time()
        if not self._lines.first() and not self._delay(slot, now):
            self._admit(slot, now)
            return
        turn = self._loop.create_future()
        self._lines.join(slot, turn, again=again)
        self._watch_stop()
        self._serve()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was this one's turn at the very moment
                self._leave(slot)
            raise
        if self._stopped():
            self._leave(slot)
            raise Stopped

    def _delay(self, slot: Slot, now: float) -> float:
        """Seconds until this call may go out, as far as is known; infinite if that takes a reply."""
        delay = self._breaker.wait(now) or self._news.wait(slot.tokens, now) or self._window.wait(self._places, now)
        if delay:
            return delay
        return max(
            self._pace.wait(now),
            self._requests.wait(1, now) if self._requests else 0.0,
            self._tokens.wait(slot.tokens, now) if self._tokens else 0.0,
        )

    def _admit(self, slot: Slot, now: float) -> None:
        self._sent += 1
        self._places += 1
        self._unjudged += 1
        slot.number = self._sent
        slot.level = self._unjudged
        self._breaker.sent(slot)
        self._news.sent(slot.tokens)
        slot.octave = self._pace.sent(now)
        self._window.sent()
        if self._requests:
            self._requests.spend(1, now)
        if self._tokens:
            slot.spent = self._tokens.spend(slot.tokens, now)

    def _leave(self, slot: Slot) -> None:
        if not slot.judged:
            self._unjudged -= 1
            self._breaker.gone(slot)
        self._places -= 1
        self._serve()
        if not self._places and not self._lines.first() and self._watch:
            self._watch.cancel()
            self._watch = None

    def _serve(self) -> None:
        """Give turns to as many as may go; then see that someone looks again in time."""
        now = self._loop.time()
        while waiter := self._lines.first():
            delay = self._delay(waiter.who, now)
            if delay:
                self._look_again(now + delay)
                break
            self._admit(waiter.who, now)
            waiter.turn.set_result(None)
        self._pace.meter.waiting(now, anyone=waiter is not None)

    def _look_again(self, when: float) -> None:
        if self._timer:
            if self._timer.when() <= when:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(when, self._awake) if when < math.inf else None

    def _awake(self) -> None:
        # A loop may call a shade too early: the timer that has gone off is none that will.
        self._timer = None
        self._serve()

    def _succeeded(self, slot: Slot, tokens: float | None, hints: Hints | None) -> None:
        now = self._loop.time()
        fresh = slot.number > self._known
        if self._breaker.answered(slot):
            self._go_on(now)
        elif fresh:
            self._window.succeeded(slot.level, full=self._places >= self._window.size)
        self._news.succeeded(hints, now, fresh=slot.number > self._known_before)
        if self._tokens and slot.spent and tokens is not None:
            self._tokens.correct(slot.spent, tokens)
        self._unjudged -= 1

    def _failed(self, slot: Slot, kind: FaultKind, retry_after: float | None) -> None:
        now = self._loop.time()
        if kind in _TOO_MUCH:
            self._slow_down(slot, kind, retry_after, now)
        if kind not in _PASSING:
            # The server is there, whatever it thinks of this call.
            if self._breaker.is_probe(slot) and self._breaker.answered(slot):
                self._go_on(now)
        elif slot.number > self._reopened:
            by_chance = self._pace.noise.share if kind == "rate_limit" else 0.0
            if self._breaker.failed(slot, slot.key, kind, retry_after, self._unjudged, now, by_chance):
                self._pace.learn(now)
        self._unjudged -= 1

    def _slow_down(self, slot: Slot, kind: str, retry_after: float | None, now: float) -> None:
        """Perhaps it was too much: too many at once, or too many a second?"""
        if kind == "rate_limit":
            self._pace.count_refused(slot.octave, now)
        cause = self._pace if kind == "rate_limit" else self._window
        tried = self._pace.noise.tolerant and self._pace.rate is not None
        too_much = cause.noise.too_much(slot.number, self._sent, vague=kind == "timeout")
        if kind in _REFUSED:
            self._news.refused(retry_after, now, too_much=too_much)
        if not too_much:
            return
        self._known_before, self._known = self._known, self._sent
        if kind != "rate_limit":
            self._window.cut(slot.level)
        elif tried:
            self._pace.go_back(now)
        else:
            self._window.refused(slot.level, paced=self._pace.rate is not None)
            self._pace.refused(now)

    def _go_on(self, now: float) -> None:
        """The probe went well: begin small again."""
        self._known = self._reopened = self._sent
        self._window.restart(self._sent)
        self._pace.restart(self._sent, now)

    def _stopped(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    def _watch_stop(self) -> None:
        """An event calls nobody back: a task waits for it, as long as there is anything to stop."""
        if self._stop and not self._watch:
            self._watch = self._loop.create_task(self._send_home(self._stop))

    async def _send_home(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._watch = None
        self._lines.send_home(Stopped())
