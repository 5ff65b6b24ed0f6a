"""One request under way: it gets scores prompt by prompt, and is done when it has all of them or one cannot be had."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from prbgen.downstream.ppo.serve.refusal import NoScoresError

Input: TypeAlias = tuple[str, str]


class Job:
    """Inputs, each a prompt and a response, and the future of their scores."""

    def __init__(self, inputs: Sequence[Input]) -> None:
        self.inputs = tuple(inputs)
        self.responses: dict[str, dict[str, None]] = {}
        for prompt, response in self.inputs:
            self.responses.setdefault(prompt, {})[response] = None
        self._scores: dict[Input, float] = {}
        self._missing = set(self.responses)
        self._done: asyncio.Future[tuple[float, ...]] = asyncio.get_running_loop().create_future()
        if not self.inputs:
            self._done.set_result(())

    @property
    def done(self) -> bool:
        """Whether nothing is left to do for it: it has its scores, or failed, or nobody waits for them any more."""
        return self._done.done()

    def take(self, prompt: str, scores: Mapping[str, float]) -> None:
        """The scores of all its responses to this prompt, and maybe of others."""
        self._scores |= {(prompt, response): scores[response] for response in self.responses[prompt]}
        self._missing.discard(prompt)
        if not (self._missing or self.done):
            self._done.set_result(tuple(self._scores[each] for each in self.inputs))

    def fail(self, error: NoScoresError) -> None:
        """There are no scores, as at least one cannot be had."""
        if not self.done:
            self._done.set_exception(error)

    async def scores(self) -> tuple[float, ...]:
        """A score for each input, in their order. Who is cancelled while waiting gives it up.

        Raises:
            NoScoresError: why there are none.
        """
        return await self._done
