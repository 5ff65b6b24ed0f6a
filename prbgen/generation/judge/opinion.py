"""Asking the judge: a reply that cannot be used is "could not tell", never a score."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeVar

from prbgen.generation.tools import Tools
from prbgen.llm.gateway import Request
from prbgen.llm.reply import ReplyType
from prbgen.llm.route import UnansweredError
from prbgen.model_settings import ModelSettings
from prbgen.schema import Check, Question, Side

R = TypeVar("R", bound=ReplyType)

# Figures are means of a few small integers: what differs by less is the same.
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Opinion:
    """The judge's scores on one answer and their mean on the check's own scale; both empty where `reason` says why.

    `assumed`: nobody was asked, so it says nothing.
    """

    scores: tuple[int, ...] = ()
    figure: float | None = None
    reason: str | None = None
    calls: tuple[str, ...] = ()
    assumed: bool = False


def judge_of(tools: Tools) -> ModelSettings:
    """The judge that a recipe with judged checks has."""
    assert tools.recipe.judge  # noqa: S101
    return tools.recipe.judge


def item_of(question: Question) -> str:
    """What the ledger calls a question."""
    return f"{question.subset}/{question.id}"


async def ask_judge(request: Request[R], attempt: int, tools: Tools) -> tuple[R | None, Opinion]:
    """The judge's reply (null if it cannot be used: the opinion says why), with an opinion that has no scores yet.

    Raises:
        UnansweredError: no reply came at all, so that another run may bring one.
    """
    recipe = tools.recipe
    attempts = recipe.pair.attempts if recipe.checks.mode == "gate" else 1
    try:
        reply = await tools.gateway.ask(
            replace(request, sample=recipe.pair.seed, attempt=attempt + 1, attempts=attempts)
        )
    except UnansweredError as unanswered:
        if not unanswered.unusable:
            raise
        return None, Opinion(reason=f"the judge gave no usable reply: {unanswered.reason}")
    if reply.problem:
        return None, Opinion(reason=f"the judge gave no usable reply: {reply.problem}", calls=reply.calls)
    return reply.value, Opinion(calls=reply.calls, assumed=reply.assumed)


def held_to(
    name: str,
    side: Side | None,
    opinion: Opinion,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    fault: str = "",
) -> Check:
    """Whether the figure of an opinion lies between two bars; `fault` is what to say if it does not."""
    figure = opinion.figure
    if figure is None:
        return Check(name=name, side=side, outcome="unknown", detail=opinion.reason)
    passes = least - _TOLERANCE <= figure <= most + _TOLERANCE
    bar = f"at least {least:g}" if figure < least else f"at most {most:g}"
    return Check(
        name=name,
        side=side,
        outcome="pass" if passes else "fail",
        figure=round(figure, 4),
        detail=None if passes else fault or f"should be {bar}",
        scores=opinion.scores,
    )


def gap(chosen: Opinion, rejected: Opinion) -> Opinion:
    """The figure of chosen less that of rejected."""
    if chosen.figure is None or rejected.figure is None:
        return Opinion(reason="of one side it is not known")
    return Opinion(figure=chosen.figure - rejected.figure)
