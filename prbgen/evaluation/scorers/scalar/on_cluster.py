"""Answers scored by classifiers in workers. This process makes the batches, as `ScalarScorer` does: the same ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Self

from prbgen import __version__
from prbgen.cluster.models import anywhere, asked_of, hub_access, room_here
from prbgen.cluster.place import LostWorkerError
from prbgen.cluster.workers import Workers
from prbgen.evaluation.scorers.scalar.encoding import Encoder
from prbgen.evaluation.scorers.scalar.fitting import Fitting
from prbgen.evaluation.scorers.scalar.loading import load_tokenizer
from prbgen.evaluation.scorers.scalar.pipeline import Pipeline
from prbgen.evaluation.scorers.scalar.schedule import Batch, GroupScores, Schedule
from prbgen.evaluation.scorers.scalar_worker import Ready, ScalarWorker
from prbgen.evaluation.scorers.scorer import Asked, Found
from prbgen.evaluation.settings import ScorerSettings
from prbgen.evaluation.summary import Cost, ModelFacts
from prbgen.llm.flow import as_finished
from prbgen.llm.traffic import Traffic

# Batches at a worker: one that runs, one that waits.
_AT_ONCE = 2


class ClusterScalarScorer:
    """A Scorer. A batch goes whole to one worker, and to another one if that one is lost."""

    def __init__(self, settings: ScorerSettings, workers: Workers, ready: Ready, encoder: Encoder) -> None:
        """`open` makes one."""
        self._settings, self._workers, self._ready, self._encoder = settings, workers, ready, encoder
        self._tokenizer = ThreadPoolExecutor(1, "scalar-tokenizer")

    @classmethod
    async def open(cls, settings: ScorerSettings, *, stop: asyncio.Event, traffic: Traffic) -> Self:
        """Start workers on the cluster that this process is a driver of; ready as soon as one of them is. `traffic`
        tells how many there are.

        Raises:
            InputError: the model cannot be used, here or on a node, which is named.
            InterruptError: `stop` is set.
        """
        settings = replace(settings, model=anywhere(settings.model))
        room = await asyncio.to_thread(room_here, settings.device.startswith("cpu"))
        handed = (__version__, hub_access(), settings)
        workers = Workers(
            ScalarWorker,
            handed,
            count=room.count,
            at_once=_AT_ONCE,
            cpus=room.cpus,
            gpus=room.gpus,
            show=traffic.show_workers,
        )
        try:
            ready: Ready = await asked_of(workers, stop, "ready")
            pinned = replace(settings, revision=ready.facts.revision or settings.revision)
            encoder = Encoder(await asyncio.to_thread(load_tokenizer, pinned))
        except BaseException:
            await workers.close()
            raise
        return cls(settings, workers, ready, encoder)

    @property
    def facts(self) -> ModelFacts:
        """Source: Scorer."""
        return self._ready.facts

    @property
    def fingerprint(self) -> str:
        """Source: Scorer. That of the same model in this process, on such a device."""
        return self._ready.fingerprint

    @property
    def versions(self) -> dict[str, str]:
        """The packages on the nodes that scores rest on."""
        return self._ready.versions

    @property
    def cost(self) -> Cost | None:
        """None: the user's own machines."""
        return None

    @property
    def remark(self) -> str | None:
        """Why it is run in a slower way than was meant; null if it is not."""
        return self._ready.remark

    async def score(self, asked: Iterable[Asked], stop: asyncio.Event) -> AsyncGenerator[Found, None]:
        """Score answers, in any order. When `stop` is set the batches that are out are finished, and no other begun.

        Raises:
            InputError: a node cannot use the model, or has another one.
            InterruptError: `stop` was set before they ran out (raised after the last result).
        """
        fitting = Fitting(lambda message, answers: self._encoder.whole(message, answers, self._ready.limit))
        pipeline = Pipeline(asked, fitting, Schedule(self._ready.packing), self._tokenizer)
        taking = _Taking(pipeline)
        work, at_once = partial(self._done, stop, taking), _AT_ONCE * self._workers.count
        try:
            async with aclosing(as_finished(taking.turns(), work, at_once=at_once, stop=stop)) as finished:
                async for _, done in finished:
                    for scores in done:
                        yield fitting.found(scores)
        finally:
            pipeline.close()

    async def close(self) -> None:
        """End the workers."""
        await self._workers.close()
        await asyncio.to_thread(self._tokenizer.shutdown, cancel_futures=True)

    async def _done(self, stop: asyncio.Event, taking: _Taking, _turn: None) -> list[GroupScores]:
        taken = await taking.take()
        if not isinstance(taken, Batch):
            return taken
        try:
            scores = await asked_of(self._workers, stop, "score", self._ready.kin, taken.rows, taken.prefix)
        except LostWorkerError as error:
            scores = [str(error)] * len(taken.rows)
        return taken.done(scores)


class _Taking:
    """Takes what is next, one after the other, and off the event loop: it may have to wait for the tokenizer."""

    def __init__(self, pipeline: Pipeline[Asked]) -> None:
        self._pipeline, self._lock = pipeline, asyncio.Lock()

    def turns(self) -> Iterator[None]:
        """As long as something may be left."""
        while self._lock.locked() or self._pipeline.read():
            yield None

    async def take(self) -> Batch | list[GroupScores]:
        """What is next; nothing, if another turn took the last of it."""
        async with self._lock:
            return await asyncio.to_thread(self._pipeline.take) if self._pipeline.read() else []
