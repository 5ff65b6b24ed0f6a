"""Adherence: how much of the rubric an answer covers, aspect by aspect.

Scores and their sum are those of LaMP-QA (arXiv 2506.00137).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from prbgen.generate.judge.opinion import FIGURE, Opinion, ask_judge, gap, held_to
from prbgen.generate.tools import Tools
from prbgen.llm.assumed import PHRASE
from prbgen.llm.reply import Problem, ReplyType
from prbgen.recipe import CheckSettings
from prbgen.schema import Check, Question, Rubric, StrategyName

# The strategies whose rejected answer was told to do without every aspect.
_WITHOUT = ("avoid", "counter")


class AspectScore(ReplyType):
    """How well aspect `number`, counted from 1, is covered: 0 not, 1 somewhat, 2 very well."""

    number: Annotated[int, FIGURE]
    found: str
    score: Annotated[Literal[0, 1, 2], FIGURE]


class CoverageReply(ReplyType):
    """What judge_coverage.j2 asks for."""

    aspects: list[AspectScore] = Field(min_length=1)


async def cover(question: Question, rubric: Rubric, answer: str, attempt: int, tools: Tools) -> Opinion:
    """The score of each aspect, and their sum over the greatest possible one (0 to 1)."""
    wanted = list(range(1, len(rubric.aspects) + 1))

    def incomplete(reply: CoverageReply) -> Problem | None:
        given = sorted(each.number for each in reply.aspects)
        return None if given == wanted else Problem("missing", {"count": len(wanted)})

    messages = tools.prompts.render(
        "judge_coverage",
        question=question.question,
        narrative=question.narrative,
        aspects=rubric.aspects,
        answer=answer,
    )
    assumed = CoverageReply(aspects=[AspectScore(number=number, found=PHRASE, score=2) for number in wanted])
    reply, opinion = await ask_judge("coverage", question, messages, assumed, attempt, tools, check=incomplete)
    if reply is None:
        return opinion
    scores = tuple(each.score for each in sorted(reply.aspects, key=lambda each: each.number))
    return replace(opinion, scores=scores, figure=sum(scores) / (2 * len(scores)))


def check_coverage(
    chosen: Opinion, rejected: Opinion, strategy: StrategyName, settings: CheckSettings
) -> tuple[Check, ...]:
    """`chosen` keeps the rubric, `rejected` does not."""
    # Another user's rubric, or none, may happen to have some aspects in common with this one: the gap alone counts.
    most = settings.coverage_rejected if strategy in _WITHOUT else 1
    return (
        held_to("coverage", "chosen", chosen, least=settings.coverage_chosen),
        held_to("coverage", "rejected", rejected, most=most),
        held_to("coverage_gap", None, gap(chosen, rejected), least=settings.coverage_gap),
    )
