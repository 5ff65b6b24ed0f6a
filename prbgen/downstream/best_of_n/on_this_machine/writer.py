"""A chat model that writes answers to one prompt in a batch, each by a seed of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import transformers

from prbgen.downstream.best_of_n.on_this_machine.loading import ends_of, place_of
from prbgen.downstream.best_of_n.on_this_machine.seeded import SeededSampling
from prbgen.downstream.best_of_n.policy import SamplingSettings
from prbgen.downstream.candidates import Candidate
from prbgen.evaluation.scorers.scalar.identity import fingerprint, versions
from prbgen.evaluation.scorers.scalar.loading import Loaded
from prbgen.evaluation.scorers.scalar.memory import free, out_of_memory
from prbgen.evaluation.scorers.scalar.quiet import quiet
from prbgen.evaluation.settings import ScorerSettings
from prbgen.model_settings import TRANSFORMERS
from prbgen.text import storable


@dataclass(frozen=True)
class ModelTraits:
    """What is known of a model that writes: `weights` is a hash that tells one from another, `limit` the tokens of
    prompt and answer together at most.
    """

    weights: str
    device: str
    limit: int
    versions: dict[str, str]


class Writer:
    """The model, on its device."""

    def __init__(self, settings: SamplingSettings, loaded: Loaded) -> None:
        """Raises InputError if nothing is known to end its answers."""
        self._settings, self._loaded = settings, loaded
        self._ends = ends_of(loaded)
        weights = fingerprint(loaded, ScorerSettings("scalar", place_of(settings)), TRANSFORMERS)
        self.traits = ModelTraits(weights, loaded.device.type, loaded.limit, versions())

    def write(self, tokens: list[int], seeds: Sequence[int]) -> list[Candidate]:
        """A candidate for each seed; all answer one prompt, so that nothing is padded.

        Raises:
            MemoryError: it does not suffice for so many at once.
        """
        try:
            whole = self._generated(tokens, seeds)
        except (RuntimeError, MemoryError) as error:
            if not out_of_memory(error):
                raise
        else:
            return [self._candidate(row[len(tokens) :].tolist()) for row in whole]
        # Past the handler, where nothing holds the tensors that were too many.
        free()
        raise MemoryError("out of memory")

    async def in_thread(self, tokens: list[int], seeds: Sequence[int]) -> list[Candidate]:
        """The same, in a thread of its own."""
        return await asyncio.to_thread(self.write, tokens, seeds)

    def _generated(self, tokens: list[int], seeds: Sequence[int]) -> Any:
        settings, device = self._settings, self._loaded.device
        asked = torch.tensor([tokens] * len(seeds), device=device)
        sampling: list[Any] = []
        if settings.temperature:
            sampling = [SeededSampling(seeds, settings.temperature, settings.top_p, device)]
        with torch.no_grad(), quiet():
            return self._loaded.model.generate(
                input_ids=asked,
                attention_mask=torch.ones_like(asked),
                generation_config=transformers.GenerationConfig(  # type: ignore[no-untyped-call]
                    max_new_tokens=settings.max_tokens,
                    do_sample=False,
                    eos_token_id=self._ends,
                    pad_token_id=self._ends[0],
                ),
                logits_processor=transformers.LogitsProcessorList(sampling),
            )

    def _candidate(self, written: list[int]) -> Candidate:
        end = next((place for place, token in enumerate(written) if token in self._ends), None)
        text = storable(self._loaded.tokenizer.decode(written[:end], skip_special_tokens=True)).strip()
        truncated = end is None
        if not text:
            return Candidate(text=None, truncated=truncated, reason="the reply is empty")
        return Candidate(text=text, truncated=truncated)
