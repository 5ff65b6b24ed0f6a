"""A model that writes candidates in batches, each by a seed of its own, and keeps them as they come."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import torch
import transformers
from pydantic import JsonValue

from prbgen.digest import text_hash
from prbgen.downstream.best_of_n.on_this_machine.loading import ends_of, place_of
from prbgen.downstream.best_of_n.on_this_machine.seeded import SeededSampling, seed_of
from prbgen.downstream.best_of_n.on_this_machine.written_file import WrittenFile
from prbgen.downstream.best_of_n.policy import Prompt, SamplingSettings, Written
from prbgen.downstream.best_of_n.transformers_policy import PREFIX
from prbgen.downstream.candidates import Candidate
from prbgen.errors import InterruptError, PrbgenError
from prbgen.evaluate.scorers.scalar.identity import fingerprint, versions
from prbgen.evaluate.scorers.scalar.loading import Loaded
from prbgen.evaluate.scorers.scalar.memory import free, out_of_memory
from prbgen.evaluate.scorers.scalar.quiet import quiet
from prbgen.evaluate.scorers.scorer import TOO_LONG
from prbgen.evaluate.scorers.shorten import Shortening
from prbgen.evaluate.settings import ScorerSettings
from prbgen.text import storable

_AT_ONCE = 16  # candidates


class TransformersPolicy:
    """A Policy: one question at a time, its candidates in batches that are halved where memory does not suffice."""

    def __init__(self, settings: SamplingSettings, loaded: Loaded, kept: WrittenFile, stop: asyncio.Event) -> None:
        self._settings = settings
        self._tokenizer = loaded.tokenizer
        self._model = loaded.model
        self._device = loaded.device
        self._kept = kept
        self._stop = stop
        self._limit = min(loaded.limit - settings.max_tokens, settings.max_prompt_tokens)
        self._batch = _AT_ONCE
        self._lock = asyncio.Lock()
        self._ends = ends_of(loaded)
        weights = fingerprint(loaded, ScorerSettings("scalar", place_of(settings)), PREFIX)
        self._asked: dict[str, JsonValue] = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "max_tokens": settings.max_tokens,
            "weights": weights,
            "device": loaded.device.type,
        }

    @property
    def name(self) -> str:
        """`hf:` and the name: of a folder, its last part, or of DIR/policy that of DIR."""
        return self._settings.policy.label

    @property
    def settings(self) -> dict[str, JsonValue]:
        """Source: Policy. `weights` is a hash that tells one policy from another."""
        return dict(self._asked)

    @property
    def versions(self) -> dict[str, str]:
        """The packages that answers rest on."""
        return versions()

    @property
    def cost(self) -> None:
        """Null: the user's own machine."""
        return

    @property
    def at_once(self) -> int:
        """One: its candidates fill a batch. One more waits, so that the model never does."""
        return 2

    async def answers(self, prompt: Prompt, n: int) -> Written:
        """Source: Policy."""
        posts, tokens = self._fitting(prompt)
        if tokens is None:
            return Written(0, reason=TOO_LONG)
        work = text_hash(json.dumps(self._asked, sort_keys=True), json.dumps(tokens))
        async with self._lock:
            known = self._kept.get(work, n)
            missing = [sample for sample in range(n) if sample not in known]
            all_known = not missing
            while missing:
                if self._stop.is_set():
                    raise InterruptError("interrupted")
                now = missing[: self._batch]
                try:
                    texts = await asyncio.to_thread(self._write, tokens, [seed_of(work, sample) for sample in now])
                except (RuntimeError, MemoryError) as error:
                    if not out_of_memory(error):
                        raise
                    self._halve(len(tokens))
                    continue
                made = dict(zip(now, texts, strict=True))
                self._kept.add(work, list(made.items()))
                known, missing = known | made, missing[len(now) :]
        return Written(posts, tuple(known[sample] for sample in range(n)), known=all_known)

    def _halve(self, tokens: int) -> None:
        free()
        if self._batch == 1:
            name = self.name
            raise PrbgenError(f"{name}: no memory for one answer to a prompt of {tokens:,} tokens")
        self._batch //= 2

    def _fitting(self, prompt: Prompt) -> tuple[int, list[int] | None]:
        """The prompt with the most posts with which it is not too long."""
        found: tuple[int, list[int] | None] = (0, None)
        for posts in (shortening := Shortening(prompt.most)):
            turns = [{"role": "user", "content": storable(prompt.message(posts))}]
            tokens = self._tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
            if len(tokens) <= self._limit:
                found = posts, [int(each) for each in tokens]
            else:
                shortening.too_long()
        return found

    def _write(self, tokens: list[int], seeds: Sequence[int]) -> list[Candidate]:
        """A candidate for each seed; all answer one prompt, so that nothing is padded."""
        settings = self._settings
        asked = torch.tensor([tokens] * len(seeds), device=self._device)
        sampling: list[Any] = []
        if settings.temperature:
            sampling = [SeededSampling(seeds, settings.temperature, settings.top_p, self._device)]
        with torch.no_grad(), quiet():
            whole = self._model.generate(
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
        return [self._candidate(row[len(tokens) :].tolist()) for row in whole]

    def _candidate(self, written: list[int]) -> Candidate:
        end = next((place for place, token in enumerate(written) if token in self._ends), None)
        text = storable(self._tokenizer.decode(written[:end], skip_special_tokens=True)).strip()
        truncated = end is None
        if not text:
            return Candidate(text=None, truncated=truncated, reason="the reply is empty")
        return Candidate(text=text, truncated=truncated)
