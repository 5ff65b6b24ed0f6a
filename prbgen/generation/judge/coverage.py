"""Adherence: how much of the rubric an answer covers, aspect by aspect."""

from __future__ import annotations

from dataclasses import replace

from prbgen.generation.judge.opinion import Opinion, ask_judge, gap, held_to, item_of, judge_of
from prbgen.generation.strategies import strategy_called
from prbgen.generation.tools import Tools
from prbgen.llm.coverage import coverage_request, covered
from prbgen.recipe import CheckSettings
from prbgen.schema import Check, Question, Rubric, StrategyName


async def cover(question: Question, rubric: Rubric, answer: str, attempt: int, tools: Tools) -> Opinion:
    """The score of each aspect, and their sum over the greatest possible one (0 to 1)."""
    request = coverage_request(
        item_of(question),
        question.question,
        question.narrative,
        rubric.aspects,
        answer,
        judge_of(tools),
        tools.prompts,
    )
    reply, opinion = await ask_judge(request, attempt, tools)
    return replace(opinion, scores=reply.scores, figure=covered(reply.scores)) if reply else opinion


def check_coverage(
    chosen: Opinion, rejected: Opinion, strategy: StrategyName, settings: CheckSettings
) -> tuple[Check, ...]:
    """`chosen` keeps the rubric, `rejected` does not."""
    # Another user's rubric, or none, may happen to have some aspects in common with this one: the gap alone counts.
    most = settings.coverage_rejected if strategy_called(strategy).without else 1
    return (
        held_to("coverage", "chosen", chosen, least=settings.coverage_chosen),
        held_to("coverage", "rejected", rejected, most=most),
        held_to("coverage_gap", None, gap(chosen, rejected), least=settings.coverage_gap),
    )
