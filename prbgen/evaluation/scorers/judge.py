"""An LLM that compares the two answers of a pair."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cached_property

from prbgen.evaluation.item import Letter
from prbgen.evaluation.scorers.llm_scorer import LlmScorer, Prompt
from prbgen.evaluation.scorers.opening import Opening
from prbgen.evaluation.scorers.scorer import Asked, Found
from prbgen.evaluation.settings import RELEASED_SEED
from prbgen.llm.reply import ReplyType


class Verdict(ReplyType):
    """What judge_pairwise.j2 asks for."""

    verdict: Letter


class Judge(LlmScorer):
    """Sees two answers in both orders, the first one (chosen) as A; then, if that brought a verdict, as B.

    Under the released protocol it sees one order alone; see `ReleasedOrders`.
    """

    template = "judge_pairwise"

    @cached_property
    def _orders(self) -> ReleasedOrders:
        return ReleasedOrders()

    def prompts(self, asked: Asked, posts: int) -> dict[str, Prompt]:
        """By order: "ab" shows the first answer as A."""
        one, other = asked.answers
        answers = {"ab": (one, other), "ba": (other, one)}
        if self.settings.protocol == "released":
            drawn = "ab" if self._orders.chosen_first(asked.place) else "ba"
            answers = {drawn: answers[drawn]}
        message = asked.message(posts)
        return {
            order: self.prompt_texts.render(self.template, message=message, first=first, second=second)
            for order, (first, second) in answers.items()
        }

    async def judged(self, asked: Asked, posts: int, prompts: Mapping[str, Prompt]) -> Found:
        """A verdict for each order."""
        # So much of the second call is what the first one said.
        shared = _common(*(prompt[-1].content for prompt in prompts.values())) if len(prompts) > 1 else 0
        said: dict[str, Letter] = {}
        for order, prompt in prompts.items():
            reply = await self.ask(asked.item, prompt, Verdict(verdict="A"), shared=shared)
            said[order] = reply.value.verdict
        return Found(asked.place, posts, verdict_ab=said.get("ab"), verdict_ba=said.get("ba"))


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with that are the same."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


class ReleasedOrders:
    """The one order in which the released protocol shows each pair: a draw for each, in the order of the data.

    It rests on the place alone, so that it is the same whatever is asked first, and after a resume.
    """

    def __init__(self) -> None:
        self._random = random.Random(RELEASED_SEED)  # noqa: S311
        self._drawn: list[bool] = []

    def chosen_first(self, place: int) -> bool:
        """Whether the pair at this place in the data is shown with chosen as A."""
        while len(self._drawn) <= place:
            self._drawn.append(self._random.random() < 0.5)
        return self._drawn[place]


async def open_judge(opening: Opening) -> Judge:
    """Source: Opener."""
    return Judge.opened(opening)
