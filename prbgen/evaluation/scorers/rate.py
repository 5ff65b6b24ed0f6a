"""An LLM that gives one answer a mark from 0 to 10, and does not see the other one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator

from prbgen.evaluation.scorers.llm_scorer import LlmScorer, Prompt
from prbgen.evaluation.scorers.opening import Opening
from prbgen.evaluation.scorers.scorer import Asked, Found, UnscoredError
from prbgen.llm.flow import all_of
from prbgen.llm.model import DigitLogprobs
from prbgen.llm.reply import ReplyType

BEST = 10
# Of marks that are one digit, which every tokenizer keeps whole: "10" may be one token or two.
BEST_DIGIT = 9
NO_PROBABILITIES = "the model's reply came without the token probabilities of its mark"


def _mark(value: float) -> float:
    if 0 <= value <= BEST:
        return value
    raise ValueError(f"should be from 0 to {BEST}")


def _whole(value: object) -> object:
    # For a Literal, true and 1.0 are 1.
    if type(value) is int:
        return value
    raise ValueError("should be a whole number")


class Mark(ReplyType):
    """What judge_score.j2 asks for."""

    # Not every provider takes bounds in a schema.
    score: Annotated[float, AfterValidator(_mark)]


class Digit(ReplyType):
    """What it asks for where token probabilities are to weigh the mark."""

    score: Annotated[Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], BeforeValidator(_whole)]


class Rate(LlmScorer):
    """Rates each answer by itself.

    The score of an answer is its mark; of several samples the mean of the marks that can be used, if these are half of
    them or more (a call that failed leaves them to a rerun: a score never rests on how the network was). With token
    probabilities it is the mark that is to be expected: digits from 0 to 9, weighted by the probability that the model
    wrote them, and brought to the same scale.
    """

    template = "judge_score"

    def prompts(self, asked: Asked, posts: int) -> dict[str, Prompt]:
        """By the answer's place."""
        best = BEST_DIGIT if self.settings.token_probabilities else BEST
        message = asked.message(posts)
        return {
            str(place): self.prompt_texts.render(self.template, message=message, answer=answer, best=best)
            for place, answer in enumerate(asked.answers)
        }

    async def judged(self, asked: Asked, posts: int, prompts: Mapping[str, Prompt]) -> Found:
        """Scores from 0 to 10."""
        scores = await all_of(*(self._rated(asked.item, prompt) for prompt in prompts.values()))
        return Found(asked.place, posts, tuple(scores))

    async def _rated(self, item: str, prompt: Prompt) -> float:
        if self.settings.token_probabilities:
            return await self._expected(item, prompt)
        samples = range(self.settings.samples)
        marks = await all_of(*(self._sampled(item, prompt, sample) for sample in samples))
        usable = [mark for mark in marks if isinstance(mark, float)]
        faults = [mark for mark in marks if isinstance(mark, str)]
        if len(usable) >= len(faults):
            return math.fsum(usable) / len(usable)
        count = f"{len(faults)} of {len(marks)} replies cannot be used, the first: " if len(marks) > 1 else ""
        raise UnscoredError(count + faults[0], recorded=True)

    async def _sampled(self, item: str, prompt: Prompt, sample: int) -> float | str:
        """A mark, or why a reply that is on record is none."""
        try:
            return (await self.ask(item, prompt, Mark(score=BEST / 2), sample=sample)).value.score
        except UnscoredError as why:
            if not why.recorded:
                raise
            return str(why)

    async def _expected(self, item: str, prompt: Prompt) -> float:
        reply = await self.ask(item, prompt, Digit(score=4))
        # After its mark the reply has no other digit.
        places = self.ledger.digit_logprobs(reply.calls[0])
        return expected(reply.value.score, places[-1] if places else ()) * BEST / BEST_DIGIT


def expected(written: int, likely: DigitLogprobs) -> float:
    """The mean of the digits 0 to 9 in one place of a reply, weighted by their probabilities.

    Raises:
        UnscoredError: what is there is not what was `written`, so these are not its probabilities.
    """
    digits = [(int(text), math.exp(weight)) for text, weight in likely if len(text.strip()) == 1]
    total = math.fsum(weight for _, weight in digits)
    if not total or digits[0][0] != written:
        raise UnscoredError(NO_PROBABILITIES, recorded=True)
    return math.fsum(digit * weight for digit, weight in digits) / total


async def open_rate(opening: Opening) -> Rate:
    """Source: Opener."""
    return Rate.opened(opening)
