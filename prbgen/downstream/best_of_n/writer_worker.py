"""A policy's model in a worker process. Importing it needs no torch: a node that lacks it can say so."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from prbgen.cluster.models import Kin, prepared_here
from prbgen.downstream.best_of_n.policy import SamplingSettings
from prbgen.downstream.candidates import Candidate

if TYPE_CHECKING:
    from prbgen.downstream.best_of_n.on_this_machine.writer import ModelTraits, Writer


class WriterWorker:
    """A `Worker` that writes batches of answers, one batch after the other."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "writer")

    async def prepare(self, version: str, environment: dict[str, str], settings: SamplingSettings) -> None:
        """Load the model.

        Raises:
            InputError: it cannot be used on this node, or prbgen has another version here.
        """
        self._name = settings.policy.label
        work = asyncio.get_running_loop().run_in_executor(self._thread, _loaded, version, environment, settings)
        self._writer = await work

    async def ready(self) -> tuple[ModelTraits, Kin]:
        """What is known of the model, and what must be the same of it everywhere."""
        traits = self._writer.traits
        return traits, Kin.here(device=traits.device, **traits.versions, fingerprint=traits.weights)

    async def write(self, first: Kin, tokens: list[int], seeds: list[int]) -> list[Candidate]:
        """A candidate for each seed.

        Raises:
            InputError: the model is another one than what was `first` ready.
            MemoryError: it does not suffice for so many at once.
        """
        (await self.ready())[1].refuse_other(self._name, first)
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._writer.write, tokens, seeds)


def _loaded(version: str, environment: dict[str, str], settings: SamplingSettings) -> Writer:
    with prepared_here(version, environment):
        from prbgen.downstream.best_of_n.on_this_machine.loading import load_policy
        from prbgen.downstream.best_of_n.on_this_machine.writer import Writer

        return Writer(settings, load_policy(settings))
