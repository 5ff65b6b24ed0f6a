"""Rubrics: gold from the row, extracted from the narrative, or inferred from the profile by the planner."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from prbgen.generation.tools import RejectedError, Tools
from prbgen.llm.assumed import ASPECTS, PHRASE, REASON, quote
from prbgen.llm.gateway import Reply, Request
from prbgen.llm.planner import planner_request
from prbgen.llm.reply import Phrase, Problem, ReplyType
from prbgen.schema import Post, Question, Rubric, RubricAspect, RubricKind
from prbgen.text import find_quote


class ExtractedAspect(ReplyType):
    """One aspect that the narrative states."""

    aspect: Phrase
    evidence: str
    reason: Phrase


class ExtractedReply(ReplyType):
    """What rubric_extracted.j2 asks for."""

    aspects: list[ExtractedAspect] = Field(min_length=1, max_length=10)


async def find_rubric(question: Question, shown: tuple[Post, ...], tools: Tools) -> tuple[Rubric, tuple[str, ...]]:
    """The rubric of a question by the recipe's kind, and the keys of the calls that it took.

    Raises:
        RejectedError: the row has nothing to take a rubric from, or no aspect of the extracted one could be kept.
        UnansweredError: the model gave no usable reply.
    """
    kind = tools.recipe.rubric.kind
    if kind == "inferred":
        return await _infer(question, shown, tools)
    if kind == "gold" and question.rubric_aspects:
        return Rubric(kind="gold", aspects=question.rubric_aspects), ()
    if question.narrative is None:
        what = "neither rubric nor narrative" if kind == "gold" else "no narrative to extract a rubric from"
        raise RejectedError("rubric", f"the row has {what}")
    return await _extract(question, question.narrative, tools)


async def _extract(question: Question, narrative: str, tools: Tools) -> tuple[Rubric, tuple[str, ...]]:
    def misquotes(reply: ExtractedReply) -> Problem | None:
        wrong = [each.evidence for each in reply.aspects if find_quote(narrative, each.evidence) is None]
        return Problem("quotes", {"passages": wrong}) if wrong else None

    reply = await tools.gateway.ask(
        Request(
            stage="rubric",
            item=f"{question.subset}/{question.id}",
            model=tools.rubric_model,
            messages=tools.prompts.render("rubric_extracted", question=question.question, narrative=narrative),
            reply_type=ExtractedReply,
            assumed=ExtractedReply(
                aspects=[ExtractedAspect(aspect=PHRASE, evidence=quote(narrative), reason=REASON)] * ASPECTS
            ),
            sample=tools.recipe.pair.seed,
            check=misquotes,
        )
    )
    aspects = tuple(
        RubricAspect(aspect=each.aspect, evidence=passage, reason=each.reason)
        for each in reply.value.aspects
        if (passage := find_quote(narrative, each.evidence)) is not None
    )
    dropped = len(reply.value.aspects) - len(aspects)
    if not aspects:
        reason = f"none of the {dropped} extracted aspects quotes the narrative"
        raise RejectedError("rubric", reason, attempts=len(reply.calls))
    return _rubric("extracted", aspects, tools, reply, dropped)


async def _infer(question: Question, shown: tuple[Post, ...], tools: Tools) -> tuple[Rubric, tuple[str, ...]]:
    item, sample = f"{question.subset}/{question.id}", tools.recipe.pair.seed
    request = planner_request(item, question.question, shown, tools.rubric_model, tools.prompts, sample=sample)
    reply = await tools.gateway.ask(request)
    aspects = tuple(RubricAspect(aspect=each.aspect, evidence=None, reason=each.reason) for each in reply.value.aspects)
    return _rubric("inferred", aspects, tools, reply)


def _rubric(
    kind: RubricKind, aspects: tuple[RubricAspect, ...], tools: Tools, reply: Reply[Any], dropped: int = 0
) -> tuple[Rubric, tuple[str, ...]]:
    return Rubric(kind=kind, aspects=aspects, model=tools.rubric_model.label, aspects_dropped=dropped), reply.calls
