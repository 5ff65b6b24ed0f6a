"""A policy's model in each of several workers. Prompts are made, and candidates kept, in this process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any, Self

from prbgen import __version__
from prbgen.cluster.models import Kin, anywhere, asked_of, hub_access, room_here
from prbgen.cluster.place import LostWorkerError
from prbgen.cluster.workers import Workers
from prbgen.downstream.best_of_n.on_this_machine.loading import load_tokenizer, place_of
from prbgen.downstream.best_of_n.on_this_machine.writer import ModelTraits
from prbgen.downstream.best_of_n.policy import SamplingSettings
from prbgen.downstream.best_of_n.writer_worker import WriterWorker
from prbgen.downstream.candidates import Candidate
from prbgen.errors import PrbgenError
from prbgen.llm.traffic import Traffic
from prbgen.model_settings import TRANSFORMERS


@dataclass(frozen=True)
class ClusterWriters:
    """So many `models`, with the same `traits`. `write` is as that of a `Writer`; a batch that is lost with its worker
    is written again elsewhere, by the same seeds.
    """

    workers: Workers
    tokenizer: Any
    traits: ModelTraits
    first: Kin
    stop: asyncio.Event

    @classmethod
    async def open(cls, settings: SamplingSettings, *, stop: asyncio.Event, traffic: Traffic) -> Self:
        """Start workers on the cluster that this process is a driver of; ready as soon as one of them is. `traffic`
        tells how many there are.

        Raises:
            InputError: the model cannot be used, here or on a node, which is named.
            InterruptError: `stop` is set.
        """
        policy = settings.policy.model_copy(update={"name": TRANSFORMERS + anywhere(place_of(settings))})
        settings = replace(settings, policy=policy)
        room = await asyncio.to_thread(room_here)
        handed = (__version__, hub_access(), settings)
        workers = Workers(
            WriterWorker, handed, count=room.count, at_once=1, cpus=room.cpus, gpus=room.gpus, show=traffic.show_workers
        )
        try:
            tokenizer = await asyncio.to_thread(load_tokenizer, settings)
            traits, first = await asked_of(workers, stop, "ready")
        except BaseException:
            await workers.close()
            raise
        return cls(workers, tokenizer, traits, first, stop)

    @property
    def models(self) -> int:
        """How many there are to be."""
        return self.workers.count

    async def write(self, tokens: list[int], seeds: list[int]) -> list[Candidate]:
        """A candidate for each seed.

        Raises:
            MemoryError: it does not suffice for so many at once.
            InputError: a node cannot use the model, or has another one.
            PrbgenError: the batch ends every worker that it comes to.
        """
        try:
            written: list[Candidate] = await asked_of(self.workers, self.stop, "write", self.first, tokens, seeds)
        except LostWorkerError as error:
            raise PrbgenError(f"a prompt of {len(tokens):,} tokens: {error}") from None
        return written

    async def close(self) -> None:
        """End the workers."""
        await self.workers.close()
