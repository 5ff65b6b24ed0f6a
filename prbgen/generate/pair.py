"""Pairs: two answers from one template with one profile and one word limit; only their briefs differ."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import takewhile
from typing import cast

from prbgen.generate.assumed import prose
from prbgen.generate.check import ANSWER_CHECKS, first_problem
from prbgen.generate.strategies import Brief
from prbgen.generate.tools import RejectedError, Tools
from prbgen.llm.gateway import Request
from prbgen.llm.model import Message
from prbgen.schema import Check, Post, Question, Side
from prbgen.text import count_words, cut_at_sentence_end

# Tokens: providers cache no shorter prefix.
_WORTH_CACHING = 1024


@dataclass(frozen=True)
class Answer:
    """One side of a pair: its text, what was checked on it, and the keys of the calls that it took."""

    text: str
    checks: tuple[Check, ...]
    calls: tuple[str, ...]

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that it fails."""
        return tuple(check for check in self.checks if check.outcome == "fail")


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
        PostponedError: a reply comes later, with a batch.
    """
    settings = tools.recipe.pair
    gate = tools.recipe.checks.mode == "gate"
    prompts = _prompt(question, shown, chosen, tools), _prompt(question, shown, rejected, tools)
    shared = worth_caching(*prompts)

    async def write(side: Side, attempt: int) -> Answer:
        return await _write(question, prompts[side == "rejected"], shared, side, attempt, tools)

    for attempt in range(settings.attempts):
        if shared and tools.gateway.waits:
            # The first reply fills the provider's prompt cache for the second one.
            first = await write("chosen", attempt)
            if gate and first.failures and attempt + 1 < settings.attempts:
                continue
            answers = Answers(first, await write("rejected", attempt), attempt + 1)
        else:
            # If one side fails, the other one's reply is still let in: it is paid for.
            sides = await asyncio.gather(write("chosen", attempt), write("rejected", attempt), return_exceptions=True)
            for side in sides:
                if isinstance(side, BaseException):
                    raise side
            answers = Answers(*cast("tuple[Answer, Answer]", sides), attempt=attempt + 1)
        failed = answers.chosen.failures + answers.rejected.failures
        if not failed or not gate:
            return answers
    reasons = [f"{check.side}: {check.detail}" for check in failed]
    raise RejectedError("check", *reasons, attempts=settings.attempts, checks=answers.checks)


def worth_caching(one: tuple[Message, ...], other: tuple[Message, ...]) -> int:
    """How many characters of the last message two prompts share, if that is enough for a provider's prompt cache.

    0 if less than `_WORTH_CACHING` tokens, estimated at four UTF-8 bytes each, come before the first difference.
    """
    if one[:-1] != other[:-1]:
        return 0
    last = one[-1].content
    lines = zip(last.splitlines(keepends=True), other[-1].content.splitlines(keepends=True), strict=False)
    shared = sum(len(line) for line, _ in takewhile(lambda pair: pair[0] == pair[1], lines))
    size = sum(len(message.content.encode()) for message in one[:-1]) + len(last[:shared].encode())
    return shared if size >= _WORTH_CACHING * 4 else 0


def _prompt(question: Question, shown: tuple[Post, ...], brief: Brief, tools: Tools) -> tuple[Message, ...]:
    return tools.prompts.render(
        "answer",
        question=question.question,
        posts=shown,
        aspects=brief.aspects,
        keep=brief.keep,
        words=tools.recipe.pair.words,
    )


async def _write(
    question: Question, messages: tuple[Message, ...], shared: int, side: Side, attempt: int, tools: Tools
) -> Answer:
    settings = tools.recipe.pair
    checked = tools.recipe.checks.mode != "off"
    reply = await tools.gateway.ask(
        Request(
            stage="answer",
            item=f"{question.subset}/{question.id}",
            model=tools.recipe.models.answer,
            messages=messages,
            reply_type=str,
            assumed=prose(settings.words),
            # Far apart, so that another seed is an independent repeat of all attempts.
            sample=settings.seed * 1000 + attempt,
            shared=shared,
            attempt=attempt + 1,
            attempts=settings.attempts if tools.recipe.checks.mode == "gate" else 1,
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
