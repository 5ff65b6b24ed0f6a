"""Where requests wait until they are scored: those that are there together are one batch, and the queue is bounded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from prbgen.downstream.ppo.serve.batch import score_jobs, why_it_fails
from prbgen.downstream.ppo.serve.job import Input, Job
from prbgen.downstream.ppo.serve.metrics import Metrics
from prbgen.downstream.ppo.serve.pace import Pace
from prbgen.downstream.ppo.serve.refusal import NoScoresError
from prbgen.downstream.ppo.serve.waiting import Waiting
from prbgen.errors import ModelError, PrbgenError
from prbgen.evaluation.scorers.scorer import Scorer
from prbgen.llm.cleaning import cleaned_line

State = Literal["loading", "ready", "gone"]
_LOADS = 5  # seconds after which to ask again while the model is loaded
# A burst of requests is waited for no longer than so many waits.
_WAITS = 10


@dataclass(frozen=True)
class Bounds:
    """`queue`: inputs that may wait; `batch`: inputs scored together (a request is never split); `wait`: seconds
    without a new request after which a batch begins that is not full.
    """

    queue: int = 4096
    batch: int = 256
    wait: float = 0.005


class Desk:
    """Takes requests from any number of clients, and has one model score them, batch by batch."""

    def __init__(self, bounds: Bounds, metrics: Metrics) -> None:
        self.bounds = bounds
        self.scorer: Scorer | None = None
        self.fault: str | None = None
        self._metrics = metrics
        self._pace = Pace()
        self._waiting = Waiting()
        metrics.watch_queue(lambda: self._waiting.inputs)

    @property
    def state(self) -> State:
        """Whether it can score."""
        return "gone" if self.fault is not None else "ready" if self.scorer else "loading"

    async def scores(self, inputs: Sequence[Input]) -> tuple[float, ...]:
        """A score for each input, in their order. When the caller is cancelled, what has not been begun never is.

        Raises:
            NoScoresError: why there are none.
        """
        self._admit(len(inputs))
        job = Job(inputs)
        if not job.done:
            self._waiting.put(job)
        try:
            return await job.scores()
        finally:
            self._waiting.remove(job)

    async def serve(self, scorer: Scorer, stop: asyncio.Event) -> NoReturn:
        """Score what comes in, until it is cancelled. `stop` is for the scorer, which may set it, too.

        Raises:
            PrbgenError: the model is gone. Whoever waits has been told.
        """
        self.scorer = scorer
        jobs: list[Job] = []
        try:
            while True:
                jobs = await self._next_batch()
                await self._score(scorer, jobs, stop)
        except PrbgenError as error:
            self.fault = cleaned_line(error)
            raise
        except Exception as error:  # a model may raise anything; whatever it is, it is not to be relied on any longer
            self.fault = f"the model failed: {type(error).__name__}: {cleaned_line(error)}"
            raise ModelError(self.fault) from error
        finally:
            self.fault = self.fault or "the server stops"
            for job in (*jobs, *self._waiting.take(self._waiting.inputs)):
                job.fail(self._gone())

    def _admit(self, inputs: int) -> None:
        if self.fault is not None:
            raise self._gone()
        if not self.scorer:
            raise NoScoresError("loading", "the model is being loaded", _LOADS)
        if inputs > self.bounds.queue:
            raise NoScoresError("bad_request", f"{inputs:,} inputs in one request; at most {self.bounds.queue:,}")
        if (queued := self._waiting.inputs) + inputs > self.bounds.queue:
            after = self._pace.seconds_for(queued)
            raise NoScoresError("queue_full", f"{queued:,} inputs are waiting; ask again in {after} s", after)

    def _gone(self) -> NoScoresError:
        return NoScoresError("gone", f"no model: {self.fault}")

    async def _next_batch(self) -> list[Job]:
        waiting, bounds = self._waiting, self.bounds
        await waiting.arrival()
        for _ in range(_WAITS):
            before = waiting.inputs
            if before >= bounds.batch:
                break
            await asyncio.sleep(bounds.wait)
            if waiting.inputs <= before:
                break
        return waiting.take(bounds.batch)

    async def _score(self, scorer: Scorer, jobs: list[Job], stop: asyncio.Event) -> None:
        inputs, begun = sum(len(job.inputs) for job in jobs), time.monotonic()
        if not inputs:  # all of them were given up meanwhile
            return
        faulty = await score_jobs(scorer, jobs, stop)
        seconds = time.monotonic() - begun
        self._pace.note(inputs, seconds)
        self._metrics.batch(len(jobs), inputs, seconds)
        # A broken device fails on every answer, and raises nothing: a plain one tells it from bad answers.
        # Models elsewhere end it all by themselves, and asking them may cost.
        if faulty and scorer.facts.kind == "scalar" and (why := await why_it_fails(scorer, stop)):
            raise ModelError(f"the model does not score any more: {why}")
