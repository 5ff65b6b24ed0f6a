"""The course of a sampling: each question is asked, and what the policy writes kept as it comes."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass

from prbgen.downstream.best_of_n.policy import Policy, Prompt, SamplingSettings, Written
from prbgen.downstream.candidates import CandidateRow
from prbgen.downstream.folders import Answers
from prbgen.errors import InterruptError
from prbgen.evaluation.conditions.message import message
from prbgen.evaluation.conditions.pair import SHOW_POSTS, PreparedPair
from prbgen.evaluation.conditions.prepared import Prepared
from prbgen.evaluation.conditions.stored import StoredRecords
from prbgen.evaluation.scoring import Tally
from prbgen.evaluation.trial import Trial
from prbgen.llm.flow import as_finished
from prbgen.llm.templates import Prompts


@dataclass
class SampleTally(Tally):
    """How far a sampling is: questions are scored where a candidate was written. `shortened` ones lost posts, as they
    were too long.
    """

    what: str = "questions"
    candidates: int = 0
    missing: int = 0
    shortened: int = 0


class Asking:
    """Asks a policy all questions, and gives up where there is no hope."""

    def __init__(
        self, settings: SamplingSettings, answers: Answers, prompts: Prompts, policy: Policy, tally: SampleTally
    ) -> None:
        self._settings, self._answers, self._prompts = settings, answers, prompts
        self._policy, self._tally = policy, tally
        self._trial = Trial(policy.name, answers.ledger, "questions could be answered")

    async def run(self, questions: Prepared, rows: StoredRecords[CandidateRow], stop: asyncio.Event) -> None:
        """Put a row for each question at its place.

        Raises:
            PrbgenError: the policy cannot be used, or wrote nothing to all of the first questions.
            InterruptError: `stop` was set.
        """
        tally = self._tally
        tally.total, tally.began = questions.count, time.monotonic()
        asking = as_finished(questions, self._row, at_once=self._policy.at_once, stop=stop)
        try:
            async with aclosing(asking) as finished:
                async for place, row in finished:
                    rows.put(place, row)
        except InterruptError:
            there = f"{tally.scored + tally.unscored:,} of {tally.total:,} questions are answered"
            raise InterruptError(f"interrupted: {there} ({self._answers.folder}); the same command goes on") from None

    async def _row(self, question: PreparedPair) -> CandidateRow:
        settings = self._settings
        prompt = Prompt(
            question.question_key,
            lambda posts: message(question, settings.condition, posts, self._prompts),
            len(question.posts) if settings.condition in SHOW_POSTS else 0,
        )
        if question.lacking:
            written = Written(None, reason=question.lacking)
        else:
            written = await self._policy.answers(prompt, settings.n)
            self._tally.shortened += (written.posts or 0) < prompt.most
        self._count(written)
        return CandidateRow(
            key=question.question_key,
            id=question.id,
            subset=question.subset,
            category=question.category,
            user_key=question.user_key,
            posts_shown=written.posts,
            candidates=written.candidates,
            reason=written.reason,
        )

    def _count(self, written: Written) -> None:
        tally, texts = self._tally, sum(each.text is not None for each in written.candidates)
        tally.known += written.known
        tally.scored += texts > 0
        tally.unscored += texts == 0
        tally.candidates += texts
        tally.missing += self._settings.n - texts
        if texts:
            self._trial.worked()
        elif written.faulty:
            reasons = (written.reason, *(each.reason for each in written.candidates))
            self._trial.failed(next(filter(None, reasons), "no reason is known"))
