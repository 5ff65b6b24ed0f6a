"""Waiting for a provider: visibly, ever longer, and no longer than until the stop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from prbgen.errors import InterruptError, ModelError
from prbgen.llm.batch.provider import State
from prbgen.llm.batch.record import BatchRecord, Submission
from prbgen.llm.batch.servers import Server
from prbgen.llm.cleaning import cleaned_line
from prbgen.llm.model import RETRYABLE, CallError
from prbgen.llm.traffic import OpenBatch, Traffic

_GROWTH = 1.5
# So often a server that has never answered is knocked at before nobody is taken to be there.
_KNOCKS = 3


@dataclass(frozen=True)
class Waits:
    """Seconds between two looks at what is with a provider: at first, and at most."""

    first: float = 30
    most: float = 300


class Watch:
    """Who waits, for how long, and what is shown meanwhile."""

    def __init__(self, record: BatchRecord, traffic: Traffic, stop: asyncio.Event, waits: Waits) -> None:
        self._record = record
        self._traffic = traffic
        self._stop = stop
        self._waits = waits

    def pauses(self) -> Pauses:
        """Pauses of which each is longer than the one before."""
        return Pauses(self, self._waits)

    def heed_stop(self) -> None:
        """End here if the stop is set.

        Raises:
            InterruptError: it is.
        """
        if self._stop.is_set():
            batches = sum(each.batch is not None for each in self._record.open())
            there = f"batches that go on at their provider: {batches}; " if batches else ""
            raise InterruptError(f"interrupted; {there}the same command collects what is ready and goes on")

    async def pause(self, seconds: float) -> None:
        """Wait.

        Raises:
            InterruptError: the stop was set.
        """
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)
        self.heed_stop()

    def show(self, lines: list[OpenBatch]) -> None:
        """Show the batches that are open."""
        self._traffic.batches = tuple(lines)

    def line(
        self, submission: Submission, server: Server, state: State | None, trouble: CallError | None = None
    ) -> OpenBatch:
        """How a batch is shown; `trouble` is why the provider could not be asked about it."""
        done = state.done if state else 0
        total = (state.total if state else 0) or self._record.waiting(submission.name)
        why = cleaned_line(trouble) if trouble else None
        return OpenBatch(server.provider.name, server.model.label, done, total, submission.submitted, why)

    def outlast(self, submission: Submission, server: Server, error: CallError) -> None:
        """Show what went wrong, if it may pass.

        Raises:
            ModelError: it will not, or nobody seems to be there.
        """
        if error.kind not in RETRYABLE:
            raise unusable(submission, server, error) from None
        server.answered = server.answered or error.kind != "connection"
        server.knocks += 1
        if server.knocks >= _KNOCKS and not server.answered:
            where = f" at {server.model.api_base}" if server.model.api_base else ""
            what = cleaned_line(error)
            raise ModelError(
                f"{server.model.label} cannot be reached{where} (is the server up, and the network?): {what}"
            )
        self.show([self.line(submission, server, None, error)])


class Pauses:
    """Pauses of which each is longer than the one before."""

    def __init__(self, watch: Watch, waits: Waits) -> None:
        self._watch = watch
        self._next = waits.first
        self._most = waits.most

    async def next(self, asked: float | None = None) -> None:
        """Wait as long as the provider `asked` for, else a little longer than the last time."""
        await self._watch.pause(self._next if asked is None else asked)
        self._next = min(self._next * _GROWTH, self._most)


def unusable(submission: Submission, server: Server, error: CallError) -> ModelError:
    """Why going on would only fail again."""
    what, label, name = cleaned_line(error), server.model.label, server.provider.name
    if submission.batch and error.kind == "unknown_model":
        return ModelError(
            f"{name} does not know batch {submission.batch} of {label}: {what};"
            " use the key of the account that submitted it"
        )
    kind = "unknown model, or no batches there" if error.kind == "unknown_model" else error.kind.replace("_", " ")
    return ModelError(f"{label} cannot be used in batches ({kind}): {what}")
