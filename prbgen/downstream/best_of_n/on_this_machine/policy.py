"""A model that writes candidates in batches, each by a seed of its own; they are kept as they come."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from pydantic import JsonValue

from prbgen.digest import text_hash
from prbgen.downstream.best_of_n.on_this_machine.seeded import seed_of
from prbgen.downstream.best_of_n.on_this_machine.writer import ModelTraits
from prbgen.downstream.best_of_n.on_this_machine.written_file import WrittenFile
from prbgen.downstream.best_of_n.policy import Prompt, SamplingSettings, Written
from prbgen.downstream.candidates import Candidate
from prbgen.errors import InterruptError, PrbgenError
from prbgen.evaluation.scorers.scorer import TOO_LONG
from prbgen.evaluation.scorers.shorten import Shortening
from prbgen.text import storable

# From the tokens of a prompt and a seed for each answer to the answers; raises MemoryError where these are too many.
Write: TypeAlias = Callable[[list[int], list[int]], Awaitable[list[Candidate]]]

_AT_ONCE = 16  # candidates


class TransformersPolicy:
    """A Policy: as many questions at a time as there are models, the candidates of each in batches, which are halved
    where memory does not suffice.
    """

    def __init__(
        self,
        settings: SamplingSettings,
        tokenizer: Any,
        traits: ModelTraits,
        write: Write,
        kept: WrittenFile,
        stop: asyncio.Event,
        *,
        models: int = 1,
    ) -> None:
        self._settings = settings
        self._tokenizer = tokenizer
        self._traits = traits
        self._write = write
        self._kept = kept
        self._stop = stop
        self._limit = min(traits.limit - settings.max_tokens, settings.max_prompt_tokens)
        self._batch = _AT_ONCE
        self._models = models
        self._free = asyncio.Semaphore(models)
        self._asked: dict[str, JsonValue] = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "max_tokens": settings.max_tokens,
            "weights": traits.weights,
            "device": traits.device,
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
        return dict(self._traits.versions)

    @property
    def cost(self) -> None:
        """Null: the user's own machine."""
        return

    @property
    def at_once(self) -> int:
        """One a model: its candidates fill a batch. One more waits, so that no model does."""
        return self._models + 1

    async def answers(self, prompt: Prompt, n: int) -> Written:
        """Source: Policy."""
        posts, tokens = self._fitting(prompt)
        if tokens is None:
            return Written(0, reason=TOO_LONG)
        work = text_hash(json.dumps(self._asked, sort_keys=True), json.dumps(tokens))
        async with self._free:
            known = self._kept.get(work, n)
            missing = [sample for sample in range(n) if sample not in known]
            all_known = not missing
            while missing:
                if self._stop.is_set():
                    raise InterruptError("interrupted")
                now = missing[: self._batch]
                try:
                    texts = await self._write(tokens, [seed_of(work, sample) for sample in now])
                except MemoryError:
                    self._halve(len(tokens), len(now))
                    continue
                made = dict(zip(now, texts, strict=True))
                self._kept.add(work, list(made.items()))
                known, missing = known | made, missing[len(now) :]
        return Written(posts, tuple(known[sample] for sample in range(n)), known=all_known)

    def _halve(self, tokens: int, answers: int) -> None:
        if answers == 1:
            raise PrbgenError(f"{self.name}: no memory for one answer to a prompt of {tokens:,} tokens")
        # Another model may have halved it already.
        self._batch = min(self._batch, max(1, answers // 2))

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
