"""One answer of a pair. Both sides are written by the same template, with the same profile and word limit."""

from __future__ import annotations

from dataclasses import dataclass

from prbgen.generation.check import answer_checks, check_answer
from prbgen.generation.check.base import Given
from prbgen.generation.strategies import Brief
from prbgen.generation.tools import Tools
from prbgen.llm.assumed import prose
from prbgen.llm.gateway import Request
from prbgen.llm.model import Message
from prbgen.llm.reply import Problem
from prbgen.llm.route import UnansweredError
from prbgen.schema import Check, Post, Question, Side
from prbgen.text import count_words, cut_at_sentence_end


@dataclass(frozen=True)
class Answer:
    """A text, what was checked on it alone, and the keys of the calls that it took.

    The text is empty where the reply was cut off or filtered, which its checks say.
    `assumed`: nothing was sent, so it says nothing about what a model would write.
    """

    text: str
    checks: tuple[Check, ...]
    calls: tuple[str, ...]
    assumed: bool = False


NOT_WRITTEN = Answer("", (), ())


def answer_prompt(question: Question, shown: tuple[Post, ...], brief: Brief, tools: Tools) -> tuple[Message, ...]:
    """What a model is asked to write."""
    return tools.prompts.render(
        "answer",
        question=question.question,
        posts=shown,
        aspects=brief.aspects,
        keep=brief.keep,
        words=tools.recipe.pair.words,
    )


async def write_answer(
    question: Question, prompt: tuple[Message, ...], shared: int, side: Side, attempt: int, given: Given, tools: Tools
) -> Answer:
    """Ask for one side of an attempt (from 0), and check it. `shared`: as in `Request`.

    In the mode `gate` a side is never mended alone, as that would tell it from the other one. In the mode `report`,
    which is for models that cannot keep to the rules, a failing answer is asked for once more and shown its fault, and
    one that stays too long is cut at the end of a sentence.

    Raises:
        UnansweredError: no usable reply came; in the mode `gate`, none at all.
        PostponedError: it comes later, with a batch.
    """
    settings, mode = tools.recipe.pair, tools.recipe.checks.mode
    request = Request(
        stage="answer",
        item=f"{question.subset}/{question.id}",
        model=tools.recipe.models.answer,
        messages=prompt,
        reply_type=str,
        assumed=prose(settings.words, skip=side == "rejected"),
        # Far apart, so that another seed is an independent repeat of all attempts.
        sample=settings.seed * 1000 + attempt,
        shared=shared,
        attempt=attempt + 1,
        attempts=settings.attempts if mode == "gate" else 1,
        check=lambda text: _fault(text, given) if mode == "report" else None,
        on_problem="keep" if mode == "gate" else "correct",
    )
    try:
        reply = await tools.gateway.ask(request)
    except UnansweredError as unanswered:
        if mode != "gate" or unanswered.unusable is None:
            raise
        name = "whole" if unanswered.unusable == "truncated" else "refusal"
        return Answer("", (Check(name=name, side=side, outcome="fail", detail=unanswered.reason),), ())
    if mode == "off" or reply.assumed:
        return Answer(reply.value, (), reply.calls, reply.assumed)
    text = (cut_at_sentence_end(reply.value, settings.words) if mode == "report" else None) or reply.value
    checks = check_answer(text, side, given)
    if text != reply.value:
        note = f"cut at a sentence end from {count_words(reply.value)} words"
        checks = tuple(each.model_copy(update={"detail": note}) if each.name == "words" else each for each in checks)
    return Answer(text, checks, reply.calls)


def _fault(text: str, given: Given) -> Problem | None:
    """What a corrective re-ask has to name."""
    findings = (check(text, given) for check in answer_checks().values())
    detail = next((finding.detail for finding in findings if finding.outcome == "fail"), None)
    return Problem("answer", {"fault": detail}) if detail else None
