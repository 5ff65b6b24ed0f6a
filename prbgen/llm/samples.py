"""Several samples of one request: what is on record is read, and the rest asked for with as few calls as can be.

Where the provider takes n, one call asks for all that are missing side by side, and may bring fewer. Whatever is left
is asked for one by one. A sample is known by its number, so that a larger n later finds the first ones on record.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from prbgen.llm.choices import choices_of
from prbgen.llm.flow import all_of
from prbgen.llm.model import Call, Choice, FaultKind
from prbgen.llm.reply import without_thoughts
from prbgen.llm.route import Ending, UnansweredError
from prbgen.llm.transports.connect import takes_n

Recorded: TypeAlias = Callable[[Call], tuple[str, Ending] | None]
Send: TypeAlias = Callable[[Call], Awaitable[tuple[str, Ending]]]

FILTERED = "the provider's content filter or the model itself refused"
# What is wrong with the prompt is so for all samples of it.
_OF_THE_PROMPT: tuple[FaultKind | None, ...] = ("too_long", "bad_request")


@dataclass(frozen=True)
class Sample:
    """One sample: its text without thoughts, or null and the `reason`, in one line that may be shown.

    `truncated`: cut off at its maximum length. Where no reply is `recorded`, a rerun asks again, and `fault` says how
    the call failed that went out, if one did.
    """

    text: str | None
    truncated: bool = False
    reason: str | None = None
    recorded: bool = True
    fault: FaultKind | None = None


class Sampling:
    """Draws samples. It is `recorded` what reply a call has on record, if any; `send` brings the reply to one."""

    def __init__(self, recorded: Recorded, send: Send) -> None:
        self._recorded = recorded
        self._send = send
        self._refusing: set[tuple[str, str | None]] = set()

    async def draw(self, call: Call, n: int, *, several: bool) -> list[Sample]:
        """Samples number `call.sample` and following; `several`: one call may ask for more than one of them.

        Raises:
            PostponedError: replies come later, with a batch.
            PrbgenError: no more calls can be sent at all; what was under way is on record.
        """
        server = (call.model.name, call.model.api_base)
        drawing = _Drawing(call, n, self._recorded, self._send)
        drawing.read()
        if several and n > 1 and server not in self._refusing and takes_n(call.model):
            refused = await drawing.ask_for_several()
            await drawing.ask_one_by_one()
            # Another fault of the call would show with one sample, too.
            if refused and any(each.recorded for each in drawing.samples):
                self._refusing.add(server)
        else:
            await drawing.ask_one_by_one()
        return drawing.samples


class _Drawing:
    """The samples of one call, while they are being drawn."""

    def __init__(self, call: Call, n: int, recorded: Recorded, send: Send) -> None:
        self._call, self._recorded, self._send = call, recorded, send
        self._samples: list[Sample | None] = [None] * n
        # Places that a call for several has left empty.
        self._left_out: set[int] = set()

    @property
    def samples(self) -> list[Sample]:
        """All of them, once they are drawn."""
        return [each for each in self._samples if each]

    def read(self) -> None:
        """Take what is on record."""
        place = 0
        while place < len(self._samples):
            if several := self._recorded(self._at(place, 2)):
                place += self._take(place, several[0])
            else:
                if one := self._recorded(self._at(place)):
                    self._samples[place] = _sample(*one)
                place += 1

    async def ask_for_several(self) -> bool:
        """One call for each row of two or more missing samples; whether one of these was refused as a bad request."""
        while gap := next(self._gaps(), None):
            place, length = gap
            try:
                text, ending = await self._send(self._at(place, length))
            except UnansweredError as why:
                if why.fault == "bad_request":
                    return True
                self._samples[place : place + length] = [_failed(why)] * length
                continue
            if ending == "assumed":
                self._samples[place : place + length] = [_sample(text, ending)] * length
            else:
                self._take(place, text)
        return False

    async def ask_one_by_one(self) -> None:
        """A call for each that is missing. One goes ahead: what is wrong with the prompt need not be told each time."""
        missing = [place for place, sample in enumerate(self._samples) if sample is None]
        if not missing:
            return
        first, *others = missing
        sample = self._samples[first] = await self._one(first)
        if sample.fault in _OF_THE_PROMPT:
            samples = [sample] * len(others)
        else:
            samples = await all_of(*map(self._one, others))
        for place, sample in zip(others, samples, strict=True):
            self._samples[place] = sample

    async def _one(self, place: int) -> Sample:
        try:
            return _sample(*await self._send(self._at(place)))
        except UnansweredError as why:
            return _failed(why)

    def _at(self, place: int, n: int = 1) -> Call:
        return replace(self._call, sample=self._call.sample + place, n=n)

    def _take(self, start: int, reply: str) -> int:
        """Take the reply to a call for several, without its surplus; returns for how many it stands."""
        choices = choices_of(reply)
        for place, choice in enumerate(choices[: len(self._samples) - start], start):
            if isinstance(choice, Choice):
                self._samples[place] = _sample(choice.text, choice.finish)
            elif one := self._recorded(self._at(place)):
                self._samples[place] = _sample(*one)
            else:
                self._left_out.add(place)
        return len(choices)

    def _gaps(self) -> Iterator[tuple[int, int]]:
        """The rows of missing samples that no call for several has been about, each with its beginning and length."""
        start = 0
        for place in range(len(self._samples) + 1):
            missing = place < len(self._samples) and self._samples[place] is None and place not in self._left_out
            if not missing:
                if place - start > 1:
                    yield start, place - start
                start = place + 1


def _sample(text: str, ending: Ending) -> Sample:
    if ending == "filtered":
        return Sample(None, reason=FILTERED)
    truncated = ending == "length"
    if said := without_thoughts(text):
        return Sample(said, truncated)
    reason = "cut off at its maximum length before it began; raise max_tokens" if truncated else "the reply is empty"
    return Sample(None, truncated, reason)


def _failed(why: UnansweredError) -> Sample:
    return Sample(None, reason=f"the call failed: {why.reason}", recorded=False, fault=why.fault)
