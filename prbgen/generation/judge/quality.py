"""General quality: how good an answer is whoever asks. The judge sees the question and one answer, nothing else."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import Annotated, Literal, TypeAlias

from prbgen.generation.judge.opinion import Opinion, ask_judge, gap, held_to, item_of, judge_of
from prbgen.generation.tools import Tools
from prbgen.llm.assumed import REASON
from prbgen.llm.gateway import Request
from prbgen.llm.reply import FIGURE, ReplyType
from prbgen.recipe import CheckSettings
from prbgen.schema import Check, Question

Score: TypeAlias = Annotated[Literal[1, 2, 3, 4, 5], FIGURE]


class QualityReply(ReplyType):
    """What judge_quality.j2 asks for."""

    remarks: str
    factuality: Score
    relevance: Score
    helpfulness: Score


_ASSUMED = QualityReply(remarks=REASON, factuality=5, relevance=5, helpfulness=5)


async def rate(question: Question, answer: str, attempt: int, tools: Tools) -> Opinion:
    """Factuality, relevance and helpfulness, 1 to 5 each, and their mean."""
    request = Request(
        stage="quality",
        item=item_of(question),
        model=judge_of(tools),
        messages=tools.prompts.render("judge_quality", question=question.question, answer=answer),
        reply_type=QualityReply,
        assumed=_ASSUMED,
    )
    reply, opinion = await ask_judge(request, attempt, tools)
    if reply is None:
        return opinion
    scores = (reply.factuality, reply.relevance, reply.helpfulness)
    return replace(opinion, scores=scores, figure=fmean(scores))


def check_quality(chosen: Opinion, rejected: Opinion, settings: CheckSettings) -> tuple[Check, ...]:
    """Both answers are good, and about equally so."""
    apart, most = gap(chosen, rejected), settings.quality_gap
    fault = f"both should be at most {most:g} apart"
    return (
        held_to("quality", "chosen", chosen, least=settings.quality),
        held_to("quality", "rejected", rejected, least=settings.quality),
        held_to("quality_gap", None, apart, least=-most, most=most, fault=fault),
    )
