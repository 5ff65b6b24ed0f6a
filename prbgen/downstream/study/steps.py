"""The work of a study, step by step: each goes on where it stopped, and one model's failure is its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from prbgen.downstream.best_of_n.asking import SampleTally
from prbgen.downstream.best_of_n.curve import draw_curves
from prbgen.downstream.best_of_n.estimate_judging import estimate_judging
from prbgen.downstream.best_of_n.judge import judge
from prbgen.downstream.best_of_n.judge_settings import JudgeSettings
from prbgen.downstream.best_of_n.judging_words import in_words
from prbgen.downstream.best_of_n.policy import SamplingSettings
from prbgen.downstream.best_of_n.sample import sample
from prbgen.downstream.best_of_n.score import score
from prbgen.downstream.best_of_n.score_settings import BestOfNScoring
from prbgen.downstream.facts import Curves, Judging, Sampling, ScoringFacts
from prbgen.downstream.folders import JudgedBy
from prbgen.downstream.study.folder import StudyFolder
from prbgen.downstream.study.settings import BestOfNTable, Study
from prbgen.downstream.study.stopping import own_stop
from prbgen.errors import InterruptError, PrbgenError
from prbgen.evaluation.evaluate import PairTally, evaluate
from prbgen.evaluation.scoring import Tally
from prbgen.evaluation.settings import Condition, Evaluation, PlannerSettings, ScorerSettings
from prbgen.evaluation.summary import Summary
from prbgen.llm.templates import Prompts
from prbgen.text import folder_name

T = TypeVar("T")


@dataclass
class Course:
    """Where a study is, for a progress display: the `step`, and the tally of its work."""

    step: str = ""
    tally: Any = None

    def at(self, step: str, tally: T) -> T:
        """Begin a step."""
        self.step, self.tally = step, tally
        return tally


@dataclass
class Steps:
    """All that is asked of models. `failed` says of a step why it failed, `short` what is missing of one that was done;
    the others go on.
    """

    study: Study
    folder: StudyFolder
    prompts: Prompts
    stop: asyncio.Event
    course: Course
    say: Callable[[str], None]
    failed: dict[str, str] = field(default_factory=dict)
    short: dict[str, str] = field(default_factory=dict)

    async def evaluate_all(self) -> list[str]:
        """Evaluate each reward model under each condition: the names of their folders."""
        done = []
        for scorer in self.study.scorers:
            for condition in self.study.conditions:
                step, name = f"{scorer.name}, {condition}", folder_name(scorer.kind, scorer.short, condition)
                if found := await self._own(step, self._evaluate, scorer, condition, name):
                    self._lacks(step, found.unscored, found.n, "pairs are unscored")
                    done.append(name)
        return done

    async def best_of_n(self) -> Curves | None:
        """Sample, judge, score, and draw the curves; null where that cannot be had."""
        table = self.study.best_of_n
        if table is None:
            return None
        step = f"Best-of-N, {table.policy.label}"
        sampling = await self._own(step, self._sample, table)
        if sampling is None:
            return None
        self._lacks(step, sampling.missing, sampling.candidates + sampling.missing, "candidates are missing")
        step = f"Best-of-N, judge {table.judge.label}"
        judging = await self._own(step, self._have_judged, table)
        if judging is None:
            return None
        self._lacks(step, judging.unjudged, judging.judged + judging.unjudged, "candidates are unjudged")
        names = []
        for scorer in self.study.scorers:
            step, name = f"Best-of-N, {scorer.name}", folder_name(scorer.kind, scorer.short, table.scored_under)
            if facts := await self._own(step, self._score, scorer, table, name):
                self._lacks(step, facts.unscored, facts.scored + facts.unscored, "candidates are unscored")
                names.append(name)
        return await self._own("Best-of-N, curves", self._draw, table, names) if names else None

    @property
    def judged(self) -> JudgedBy | None:
        """Where the candidates are judged."""
        return self._judged(self.study.best_of_n) if self.study.best_of_n else None

    async def _own(self, step: str, work: Callable[..., Awaitable[T]], *what: object) -> T | None:
        """What this step, `work(stop, *what)`, found; null if it failed, which is noted and told."""
        try:
            async with own_stop(self.stop) as stop:
                return await work(stop, *what)
        except InterruptError:
            raise
        except PrbgenError as error:
            self.failed[step] = str(error)
            self.say(f"{step}: left out, as: {error}")
        if self.stop.is_set():
            raise InterruptError("interrupted; the same command goes on")
        return None

    def _lacks(self, step: str, lacking: int, of: int, what: str) -> None:
        if lacking:
            self.short[step] = f"{lacking:,} of {of:,} {what}"

    async def _evaluate(self, stop: asyncio.Event, scorer: ScorerSettings, condition: Condition, name: str) -> Summary:
        planner = self._planner() if condition == "planner" else None
        evaluation = Evaluation(self.study.data_settings, condition, scorer, self.study.posts, planner)
        tally = self.course.at(f"evaluating {scorer.name}, {condition}", PairTally())
        results = self.folder.evaluated(name)
        return await evaluate(evaluation, results, self.prompts, stop=stop, tally=tally, say=self.say)

    async def _sample(self, stop: asyncio.Event, table: BestOfNTable) -> Sampling:
        tally = self.course.at(f"{table.policy.label} writes {table.n} answers a question", SampleTally())
        settings = SamplingSettings(
            data=self.study.candidates_of,
            policy=table.policy,
            condition=table.condition,
            posts=self.study.posts,
            n=table.n,
            temperature=table.temperature,
            top_p=table.top_p,
            max_tokens=table.max_tokens,
            limits=self.study.limits,
        )
        return await sample(settings, self.folder.answers, self.prompts, stop=stop, tally=tally, say=self.say)

    async def _have_judged(self, stop: asyncio.Event, table: BestOfNTable) -> Judging:
        answers, by, judged = self.folder.answers, self._judge(table), self._judged(table)
        if warning := by.partiality(answers.sampling().policy):
            self.say(warning)
        self.at(f"counting what {table.judge.label} is to be asked")
        estimate = await estimate_judging(by, answers, judged, self.prompts)
        if estimate.forecast:
            self.say(in_words(estimate))
        tally = self.course.at(f"{table.judge.label} judges them by the askers' rubrics", Tally())
        return await judge(by, answers, judged, self.prompts, stop=stop, tally=tally, say=self.say)

    async def _score(self, stop: asyncio.Event, scorer: ScorerSettings, table: BestOfNTable, name: str) -> ScoringFacts:
        tally = self.course.at(f"{scorer.name} scores the candidates", Tally())
        planner = self._planner() if table.scored_under == "planner" else None
        settings = BestOfNScoring(
            self.study.candidates_of, table.scored_under, scorer, self.study.posts, planner=planner
        )
        answers = self.folder.answers
        return await score(settings, answers, answers.scored(name), self.prompts, stop=stop, tally=tally, say=self.say)

    async def _draw(self, _stop: asyncio.Event, table: BestOfNTable, names: list[str]) -> Curves:
        """Of these alone: others in the folder are of an earlier study, or failed in this one."""
        answers, seed = self.folder.answers, self.study.seed
        return draw_curves(answers, self._judged(table), only=names, seed=seed, say=self.at)

    def at(self, step: str) -> None:
        """Begin a step without a tally."""
        self.course.at(step.removesuffix(" ..."), None)

    def _judge(self, table: BestOfNTable) -> JudgeSettings:
        return JudgeSettings(self.study.candidates_of, table.judge, self.study.limits)

    def _judged(self, table: BestOfNTable) -> JudgedBy:
        return self.folder.answers.judged(self._judge(table).folder)

    def _planner(self) -> PlannerSettings:
        assert self.study.planner  # noqa: S101
        return PlannerSettings(self.study.planner.settings(), self.folder.planner)
