"""Pairs: two answers that differ in the rubric and in nothing else, as far as the checks can tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from prbgen.generation.answer import NOT_WRITTEN, Answer, answer_prompt, write_answer
from prbgen.generation.check import check_pair
from prbgen.generation.check.base import Given
from prbgen.generation.judge import judge_pair
from prbgen.generation.strategies import Brief
from prbgen.generation.tools import RejectedError, Tools
from prbgen.llm.flow import all_of
from prbgen.llm.model import Message
from prbgen.llm.route import UnansweredError
from prbgen.schema import Check, Post, Question, Rubric, Side

# Tokens: providers cache no shorter prefix.
_WORTH_CACHING = 1024


@dataclass(frozen=True)
class Answers:
    """Both sides, what was checked on them, and the keys of the judge's calls.

    `earlier`: what was checked at the attempts before, all of which failed.
    """

    chosen: Answer
    rejected: Answer
    checks: tuple[Check, ...]
    judged: tuple[str, ...] = ()
    earlier: tuple[tuple[Check, ...], ...] = ()


async def write_pair(
    question: Question, shown: tuple[Post, ...], rubric: Rubric, brief: Brief, tools: Tools
) -> Answers:
    """Write both answers; in the mode `gate`, both afresh as long as a check fails and attempts are left.

    What could not be told is no failure: people will see it.

    Raises:
        RejectedError: no attempt passed all checks, or a call brought no reply; with what was checked until then.
        PostponedError: a reply comes later, with a batch.
    """
    writing = _Writing(question, shown, rubric, brief, tools)
    attempts = tools.recipe.pair.attempts
    earlier: list[tuple[Check, ...]] = []
    texts: tuple[str | None, str | None] = (None, None)
    for attempt in range(attempts):
        try:
            answers = await writing.attempt(attempt)
        except RejectedError as rejected:
            rejected.earlier_checks = tuple(earlier)
            raise
        if not (writing.gate and failures(answers.checks)):
            return replace(answers, earlier=tuple(earlier))
        earlier.append(answers.checks)
        texts = answers.chosen.text or None, answers.rejected.text or None
    *before, last = earlier
    # Without figures, so that equal ones can be counted.
    reasons = [f"{check.name} fails ({check.side or 'the pair'})" for check in failures(last)]
    raise RejectedError("check", *reasons, attempts=attempts, checks=last, earlier_checks=tuple(before), answers=texts)


class _Writing:
    """What all attempts at one pair have in common."""

    def __init__(self, question: Question, shown: tuple[Post, ...], rubric: Rubric, brief: Brief, tools: Tools) -> None:
        self.gate = tools.recipe.checks.mode == "gate"
        self._checks = tools.recipe.checks.mode != "off"
        self._question, self._rubric, self._tools = question, rubric, tools
        self._prompts = {
            "chosen": answer_prompt(question, shown, Brief(rubric.aspects), tools),
            "rejected": answer_prompt(question, shown, brief, tools),
        }
        self._shared = worth_caching(*self._prompts.values())
        sources = (*rubric.aspects, *brief.aspects)
        guarded = (question.narrative, *(text for each in sources for text in (each.evidence, each.reason)))
        self._given = Given(
            question.question,
            tools.recipe.pair.words,
            tuple(dict.fromkeys(text for text in guarded if text)),
            tools.recipe.checks,
        )

    async def attempt(self, number: int) -> Answers:
        """Both sides once (`number` from 0); without the second one if it need not be written any more.

        Raises:
            RejectedError: a call brought no reply.
            PostponedError: a reply comes later, with a batch.
        """
        last = number + 1 == self._tools.recipe.pair.attempts
        if self._shared and self._tools.gateway.waits:
            # The first reply fills the provider's prompt cache for the second one.
            chosen = await self._side("chosen", number)
            if self.gate and failures(chosen.checks) and not last:
                return Answers(chosen, NOT_WRITTEN, chosen.checks)
            rejected = await self._side("rejected", number)
        else:
            chosen, rejected = await all_of(self._side("chosen", number), self._side("rejected", number))
        checks = chosen.checks + rejected.checks
        if self._checks and chosen.text and rejected.text and not (chosen.assumed or rejected.assumed):
            checks += check_pair(chosen.text, rejected.text, self._given)
        # What is to be written again, or rejected, need not be judged.
        if self._tools.recipe.judge is None or (self.gate and failures(checks)):
            return Answers(chosen, rejected, checks)
        try:
            found, calls = await judge_pair(
                self._question, self._rubric, (chosen.text, rejected.text), number, self._tools
            )
        except UnansweredError as unanswered:
            reason = f"judge: {unanswered.reason}"
            raise RejectedError("check", reason, attempts=unanswered.attempts, checks=checks) from None
        return Answers(chosen, rejected, checks + found, calls)

    async def _side(self, side: Side, number: int) -> Answer:
        prompt, shared = self._prompts[side], self._shared
        try:
            return await write_answer(self._question, prompt, shared, side, number, self._given, self._tools)
        except UnansweredError as unanswered:
            raise RejectedError("pair", unanswered.reason, attempts=unanswered.attempts) from None


def failures(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks that fail."""
    return tuple(check for check in checks if check.outcome == "fail")


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
