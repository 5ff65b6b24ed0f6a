"""Judges every candidate once by its asker's rubric: 0, 1 or 2 for every aspect, by a model that sees one answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from prbgen.downstream.best_of_n.judge_settings import JudgeSettings
from prbgen.downstream.best_of_n.judging import JudgingFigures
from prbgen.downstream.best_of_n.to_judge import NO_RUBRIC, ToJudge, to_judge
from prbgen.downstream.candidates import Candidate, CandidateRow, Judgement, JudgementRow
from prbgen.downstream.facts import Judging
from prbgen.downstream.folders import Answers, JudgedBy
from prbgen.errors import InterruptError
from prbgen.evaluation.conditions.stored import stored_records
from prbgen.evaluation.scoring import Tally
from prbgen.evaluation.trial import Trial
from prbgen.kept_folder import kept_folder
from prbgen.llm.budget import refuse_unknown
from prbgen.llm.cleaning import cleaned_line
from prbgen.llm.coverage import coverage_request, covered
from prbgen.llm.flow import all_of, as_finished
from prbgen.llm.gateway import Gateway
from prbgen.llm.ledger import Ledger
from prbgen.llm.route import UnansweredError
from prbgen.llm.templates import Prompts
from prbgen.llm.way import Way
from prbgen.run import as_line, read_records, whole_file, write_record

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster

# Answers under way for each call that may be.
_ANSWERS_PER_CALL = 2
_UNUSABLE = "the judge gave no usable reply"


async def judge(
    settings: JudgeSettings,
    answers: Answers,
    judged: JudgedBy,
    prompts: Prompts,
    *,
    stop: asyncio.Event,
    tally: Tally,
    say: Callable[[str], None],
    cluster: Cluster | None = None,
) -> Judging:
    """Judge all candidates into the judge's folder; calling again asks for what has no reply on record, alone.

    A reply that cannot be used (after one corrective re-ask) leaves its candidate unjudged with a reason, and is found
    again; a call that failed leaves it so, too, and is made again. `say` gets what the user should know.
    The workers of a `cluster`, if there is one, make the calls.

    Raises:
        InputError: data, candidates or settings do not go together, or another process is at work there.
        InterruptError: `stop` was set.
        PrbgenError: the judge cannot be used, failed on all of the first answers, or a budget is used up.
    """
    refuse_unknown(settings.limits, {"--judge": settings.model}, "with --judge-option KEY=VALUE")
    sampling = answers.sampling()
    tally.what, tally.total, tally.began = "candidates", sampling.candidates, time.monotonic()
    at_once = 1 + _ANSWERS_PER_CALL * settings.limits.of(settings.model).concurrency // max(1, sampling.n)
    figures = JudgingFigures()
    with (
        kept_folder(judged.folder, "judgements"),
        Ledger(judged.ledger) as ledger,
        stored_records(judged.folder, JudgementRow) as judgements,
    ):
        route = Way(cluster=cluster).open(ledger, settings.limits, stop=stop, traffic=tally.traffic)
        gateway = Gateway(ledger, prompts, route, tally.traffic)
        course = _Course(settings, prompts, gateway, judged, tally)
        try:
            asked = to_judge(settings.data, answers)
            async with aclosing(as_finished(asked, course.judge, at_once=at_once, stop=stop)) as finished:
                async for place, row in finished:
                    judgements.put(place, row)
        except InterruptError:
            there = f"{tally.scored:,} of {tally.total:,} candidates are judged ({judged.ledger})"
            raise InterruptError(f"interrupted: {there}; the same command goes on") from None
        finally:
            await gateway.close()
        answers.refuse_others(sampling, "prbgen bon judge")
        with whole_file(judged.judgements) as file:
            for candidates, row in zip(read_records(answers.candidates, CandidateRow), judgements, strict=False):
                file.write(as_line(row))
                figures.add(candidates, row)
        if lacking := course.without_rubric:
            say(f"{lacking:,} of {sampling.questions:,} questions have no rubric: their candidates are unjudged")
        found = figures.judging(settings, prompts, sampling.answers, ledger)
        write_record(judged.about, found)
        return found


class _Course:
    """Asks the judge, and gives up where there is no hope."""

    def __init__(
        self, settings: JudgeSettings, prompts: Prompts, gateway: Gateway, judged: JudgedBy, tally: Tally
    ) -> None:
        self._settings = settings
        self._prompts = prompts
        self._gateway = gateway
        self._tally = tally
        self._trial = Trial(settings.model.label, judged.ledger, "answers could be judged")
        self.without_rubric = 0

    async def judge(self, each: ToJudge) -> JudgementRow:
        """The judgements on all candidates for one question."""
        self.without_rubric += each.lacking == NO_RUBRIC
        sent = self._tally.traffic.sent
        said = await all_of(*(self._judgement(each, text) for text in each.texts))
        by_text = dict(zip(each.texts, said, strict=True))
        judgements = tuple(_of(candidate, each, by_text) for candidate in each.row.candidates)
        with_text = [one for one, own in zip(judgements, each.row.candidates, strict=True) if own.text is not None]
        # A call for another question meanwhile only makes it look slower.
        self._tally.known += len(with_text) if self._tally.traffic.sent == sent else 0
        self._tally.scored += sum(one.reason is None for one in with_text)
        self._tally.unscored += sum(one.reason is not None for one in with_text)
        return JudgementRow(key=each.row.key, judgements=judgements)

    async def _judgement(self, each: ToJudge, answer: str) -> Judgement:
        # Others may have failed since the question was begun.
        self._trial.check()
        model = self._settings.model
        request = coverage_request(
            each.row.key, each.question, each.narrative, each.aspects, answer, model, self._prompts
        )
        try:
            reply = await self._gateway.ask(request)
        except UnansweredError as why:
            return self._none(f"{_UNUSABLE if why.unusable else 'the call failed'}: {why.reason}")
        if reply.problem:
            return self._none(f"{_UNUSABLE}: {reply.problem}")
        scores = reply.value.scores
        self._trial.worked()
        return Judgement(scores=scores, quality=covered(scores))

    def _none(self, reason: str) -> Judgement:
        reason = cleaned_line(reason)
        self._trial.failed(reason)
        return Judgement(reason=reason)


def _of(candidate: Candidate, each: ToJudge, by_text: dict[str, Judgement]) -> Judgement:
    if candidate.text is None:
        return Judgement(reason="there is no answer")
    return Judgement(reason=each.lacking) if each.lacking else by_text[candidate.text]
