"""A judge weighs the candidates by the askers' rubrics: `prbgen bon judge`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from pydantic import Field, JsonValue

from prbgen.api.bon.candidates import answers_of
from prbgen.api.clusters import cluster_of
from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place, data_of, options_of, path, refuse_slips
from prbgen.api.models import LIMITS, LimitKeywords, limits_of
from prbgen.downstream.facts import Judging
from prbgen.downstream.folders import Answers, JudgedBy

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster
    from prbgen.downstream.best_of_n.estimate_judging import JudgingEstimate
    from prbgen.downstream.best_of_n.judge_settings import JudgeSettings
    from prbgen.downstream.candidates import JudgementRow
    from prbgen.llm.templates import Prompts


class JudgedCandidates(Judging):
    """What a judge found, and the `folder` that has it: judgements.jsonl and judging.json."""

    folder: Path = Field(exclude=True)

    def read_judgements(self) -> Iterator[JudgementRow]:
        """All questions with what the judge says of their candidates, one by one, in the order of the data."""
        from prbgen.downstream.candidates import JudgementRow
        from prbgen.run import read_records

        return read_records(JudgedBy(self.folder).judgements, JudgementRow)


def judge(
    data: Place,
    *,
    judge: str,
    subset: str | Iterable[str] = (),
    split: str = "",
    limit: int = 0,
    candidates: Place | None = None,
    judge_api_base: str | None = None,
    judge_option: Mapping[str, JsonValue] | None = None,
    prompts: Place | None = None,
    ray: str | None = None,
    display: Display = QUIET,
    **limits: Unpack[LimitKeywords],
) -> JudgedCandidates:
    """Judge every candidate once by its asker's rubric: 0, 1 or 2 for each aspect, from 0 to 1 in all. What it may take
    is told before anything is sent; what has been judged is kept.

    Args:
        data: What `sample` was given: it has the rubrics.
        judge: Its LiteLLM name.
        subset: Only this subset, or these.
        split: Only this one (the first that people have validated).
        limit: Only the first so many questions; 0: all.
        candidates: The folder that `sample` wrote (the only one below results/DATA).
        judge_api_base: Where the judge is served.
        judge_option: Anything else that LiteLLM takes.
        prompts: A folder with templates that come before the shipped ones.
        ray: Work on a Ray cluster: "HOST:PORT", "auto" (one that runs here), "local" (processes on this machine).
        display: Is told how it goes.
        limits: Of what is sent to the judge: see `LimitKeywords`.

    Raises:
        InputError: there are no candidates, or the settings do not go together.
        ModelError: the judge cannot be used at all.
        FellShortError: a budget is used up; what is there is kept.
        InterruptError: there was a Ctrl-C; what is there is kept.
        MissingExtraError: a part of prbgen that this takes is not installed.
        PrbgenError: the disk refuses.
    """
    from prbgen.downstream.best_of_n.judging_words import in_words
    from prbgen.llm.templates import Prompts

    settings = _judge_of(data, judge, subset, split, limit, judge_api_base, judge_option, limits)
    answers, own = answers_of(settings.data.data, candidates), Prompts(path(prompts, "prompts"))
    judged = answers.judged(settings.folder)
    display.remark(in_words(_estimated(settings, answers, judged, own, display)))
    with cluster_of(ray, display.remark) as cluster:
        found = _judged(settings, answers, judged, own, cluster, display)
    return JudgedCandidates.model_validate({**dict(found), "folder": judged.folder})


def estimate(
    data: Place,
    *,
    judge: str,
    subset: str | Iterable[str] = (),
    split: str = "",
    limit: int = 0,
    candidates: Place | None = None,
    judge_api_base: str | None = None,
    judge_option: Mapping[str, JsonValue] | None = None,
    prompts: Place | None = None,
    display: Display = QUIET,
    **limits: Unpack[LimitKeywords],
) -> JudgingEstimate:
    """Count what `judge` would ask for: calls, tokens and USD. Nothing is sent or written, no key is needed.

    It takes what `judge` takes, but for `ray`.

    Raises:
        InputError: there are no candidates, or the settings do not go together.
    """
    from prbgen.llm.templates import Prompts

    settings = _judge_of(data, judge, subset, split, limit, judge_api_base, judge_option, limits)
    answers = answers_of(settings.data.data, candidates)
    own = Prompts(path(prompts, "prompts"))
    return _estimated(settings, answers, answers.judged(settings.folder), own, display)


def _judge_of(
    data: Place,
    judge: str,
    subset: str | Iterable[str],
    split: str,
    limit: int,
    api_base: str | None,
    options: Mapping[str, JsonValue] | None,
    limits: LimitKeywords,
) -> JudgeSettings:
    from prbgen.downstream.best_of_n.judge_settings import JudgeSettings, judge_model

    refuse_slips(limits, LIMITS, estimate)
    model = judge_model(judge, api_base=api_base, options=options_of(options, "judge_option"))
    return JudgeSettings(data_of(data, subset, split, limit), model, limits_of(limits))


def _estimated(
    settings: JudgeSettings, answers: Answers, judged: JudgedBy, prompts: Prompts, display: Display
) -> JudgingEstimate:
    from prbgen.api.running import run_at_once
    from prbgen.downstream.best_of_n.estimate_judging import estimate_judging

    if warning := settings.partiality(answers.sampling().policy):
        display.remark(warning)
    with display.progress(lambda: "Counting what is to be asked ..."):
        return run_at_once(lambda: estimate_judging(settings, answers, judged, prompts))


def _judged(
    settings: JudgeSettings,
    answers: Answers,
    judged: JudgedBy,
    prompts: Prompts,
    cluster: Cluster | None,
    display: Display,
) -> Judging:
    from prbgen.api.lines import scoring_line
    from prbgen.api.running import Say, worked
    from prbgen.downstream.best_of_n.judge import judge as judges
    from prbgen.evaluation.scoring import Tally

    tally = Tally()

    async def work(stop: asyncio.Event, say: Say) -> Judging:
        return await judges(settings, answers, judged, prompts, stop=stop, tally=tally, say=say, cluster=cluster)

    return worked(work, lambda: scoring_line(tally), display)
