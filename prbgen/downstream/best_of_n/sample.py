"""A policy writes N answers to each question: candidates.jsonl and sampling.json, whole or not at all."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from prbgen import __version__
from prbgen.downstream.askers import Askers
from prbgen.downstream.best_of_n.asking import Asking, SampleTally
from prbgen.downstream.best_of_n.counts import Counts
from prbgen.downstream.best_of_n.llm_policy import llm_policy
from prbgen.downstream.best_of_n.policy import Policy, SamplingSettings
from prbgen.downstream.best_of_n.transformers_policy import transformers_policy
from prbgen.downstream.best_of_n.writing import begin, locked
from prbgen.downstream.candidates import CandidateRow
from prbgen.downstream.facts import Sampling
from prbgen.downstream.folders import Answers
from prbgen.evaluation.conditions.prepared import Prepared, prepared_of
from prbgen.evaluation.conditions.stored import stored_records
from prbgen.llm.templates import Prompts
from prbgen.model_settings import TRANSFORMERS
from prbgen.run import as_line, whole_file, write_record

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster


async def sample(
    settings: SamplingSettings,
    answers: Answers,
    prompts: Prompts,
    *,
    stop: asyncio.Event,
    tally: SampleTally,
    say: Callable[[str], None],
    cluster: Cluster | None = None,
) -> Sampling:
    """Write candidates into a folder; calling again goes on where an earlier call stopped, and asks again for what
    failed. With a larger n, only the rest is asked for. With a `cluster`, its workers ask the policy.

    Raises:
        PrbgenError: data, settings or policy cannot be used, or the policy wrote nothing for all of the first
            questions.
        InterruptError: `stop` was set.
    """
    if settings.n > 1 and settings.policy.params.get("temperature", settings.temperature) == 0:
        say("at temperature 0 most candidates of a question will be alike")
    async with AsyncExitStack() as stack:
        stack.enter_context(locked(answers))
        tally.stage = "Reading the questions"
        data = settings.data
        askers = Askers.at(data)
        questions = stack.enter_context(
            prepared_of(askers, settings.condition, settings.posts, answers.folder, limit=data.limit, answers=False)
        )
        tally.stage = "Getting the policy ready"
        open_policy = transformers_policy if settings.policy.name.startswith(TRANSFORMERS) else llm_policy
        policy = await stack.enter_async_context(open_policy(settings, answers, prompts, stop, tally.traffic, cluster))
        versions = {"python": platform.python_version(), "prbgen": __version__, **policy.versions}
        versions = begin(answers, _identity(settings, questions.split, policy), versions)
        rows = stack.enter_context(stored_records(answers.folder, CandidateRow))
        await Asking(settings, answers, prompts, policy, tally).run(questions, rows, stop)
        counts = Counts(settings.n)
        # Without sampling.json, what is there is not finished.
        answers.about.unlink(missing_ok=True)
        with whole_file(answers.candidates) as file:
            for row in rows:
                counts.add(row)
                file.write(as_line(row))
        sampling = _sampling(settings, questions, policy, counts, versions)
        write_record(answers.about, sampling)
        return sampling


def _identity(settings: SamplingSettings, split: str | None, policy: Policy) -> dict[str, object]:
    """What a folder of candidates is about: the rest may grow or change."""
    return {
        "data": settings.data.data,
        "split": split,
        "policy": policy.name,
        "condition": settings.condition,
        "posts": settings.posts,
        "reward_model": settings.reward_model,
        **policy.settings,
    }


def _sampling(
    settings: SamplingSettings, questions: Prepared, policy: Policy, counts: Counts, versions: dict[str, str]
) -> Sampling:
    return Sampling(
        data=settings.data.data,
        split=questions.split,
        policy=policy.name,
        condition=settings.condition,
        posts=settings.posts,
        n=settings.n,
        settings=policy.settings,
        questions=counts.questions,
        candidates=counts.candidates,
        missing=counts.missing,
        truncated=counts.truncated,
        reasons=dict(sorted(counts.reasons.items())),
        answers=counts.answers,
        cost=policy.cost,
        reward_model=settings.reward_model,
        versions=versions,
    )
