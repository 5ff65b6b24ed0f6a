"""Pairs: two answers from one template with one profile and one word limit; only their briefs differ."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import cast

from prbgen.generate.check import ANSWER_CHECKS, first_problem
from prbgen.generate.strategies import Brief
from prbgen.generate.tools import RejectedError, Tools
from prbgen.llm.gateway import Request
from prbgen.schema import Check, Post, Question, Side
from prbgen.text import count_words, cut_at_sentence_end


@dataclass(frozen=True)
class Answer:
    """One side of a pair: its text, what was checked on it, and the keys of the calls that it took."""

    text: str
    checks: tuple[Check, ...]
    calls: tuple[str, ...]


@dataclass(frozen=True)
class Answers:
    """Both sides, and at which attempt they were written (from 1)."""

    chosen: Answer
    rejected: Answer
    attempt: int

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks of both sides."""
        return self.chosen.checks + self.rejected.checks


async def write_answers(
    question: Question, shown: tuple[Post, ...], chosen: Brief, rejected: Brief, tools: Tools
) -> Answers:
    """Write both answers; in the mode `gate`, both afresh as long as one fails a check and attempts are left.

    Raises:
        RejectedError: no attempt passed all checks.
        UnansweredError: a side brought no usable reply.
    """
    settings = tools.recipe.pair
    for attempt in range(settings.attempts):
        sides = await asyncio.gather(
            _write(question, shown, chosen, "chosen", attempt, tools),
            _write(question, shown, rejected, "rejected", attempt, tools),
            # If one side fails, the other one's reply is still let in: it is paid for.
            return_exceptions=True,
        )
        for side in sides:
            if isinstance(side, BaseException):
                raise side
        answers = Answers(*cast("tuple[Answer, Answer]", sides), attempt=attempt + 1)
        failed = [check for check in answers.checks if check.outcome == "fail"]
        if not failed or tools.recipe.checks.mode != "gate":
            return answers
    reasons = [f"{check.side}: {check.detail}" for check in failed]
    raise RejectedError("check", *reasons, attempts=settings.attempts, checks=answers.checks)


async def _write(
    question: Question, shown: tuple[Post, ...], brief: Brief, side: Side, attempt: int, tools: Tools
) -> Answer:
    settings = tools.recipe.pair
    checked = tools.recipe.checks.mode != "off"
    messages = tools.prompts.render(
        "answer",
        question=question.question,
        posts=shown,
        aspects=brief.aspects,
        keep=brief.keep,
        words=settings.words,
    )
    reply = await tools.gateway.ask(
        Request(
            stage="answer",
            item=f"{question.subset}/{question.id}",
            model=tools.recipe.models.answer,
            messages=messages,
            reply_type=str,
            # Far apart, so that another seed is an independent repeat of all attempts.
            sample=settings.seed * 1000 + attempt,
            check=lambda text: first_problem(text, question.question, settings) if checked else None,
        )
    )
    if not checked:
        return Answer(reply.value, (), reply.calls)
    text = cut_at_sentence_end(reply.value, settings.words) or reply.value
    return Answer(text, _checks(text, reply.value, question.question, side, tools), reply.calls)


def _checks(text: str, written: str, question: str, side: Side, tools: Tools) -> tuple[Check, ...]:
    cut = f"cut at a sentence end from {count_words(written)} words" if text != written else None
    checks = []
    for name, check in ANSWER_CHECKS.items():
        problem = check(text, question, tools.recipe.pair)
        checks.append(
            Check(
                name=name,
                side=side,
                outcome="fail" if problem else "pass",
                figure=count_words(text) if name == "words" else None,
                detail=str(problem) if problem else (cut if name == "words" else None),
            )
        )
    return tuple(checks)
