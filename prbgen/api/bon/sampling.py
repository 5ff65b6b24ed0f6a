"""A policy writes the candidates: `prbgen bon sample`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from pydantic import Field, JsonValue

from prbgen.api.clusters import cluster_of
from prbgen.api.display import QUIET, Display
from prbgen.api.folders import POSTS, answers_folder
from prbgen.api.given import Place, data_of, options_of, path, refuse_fewer, refuse_slips
from prbgen.api.models import LIMITS, LimitKeywords, limits_of, model_of
from prbgen.downstream.facts import Sampling
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError
from prbgen.evaluation.settings import Condition
from prbgen.model_settings import TRANSFORMERS

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster
    from prbgen.downstream.best_of_n.asking import SampleTally
    from prbgen.downstream.best_of_n.policy import SamplingSettings
    from prbgen.downstream.candidates import CandidateRow


class SampledCandidates(Sampling):
    """What a policy wrote, and the `folder` that has it: candidates.jsonl and sampling.json.

    `shortened`: questions that lost posts now, as their prompts were too long.
    """

    folder: Path = Field(exclude=True)
    shortened: int = Field(exclude=True)

    def read_candidates(self) -> Iterator[CandidateRow]:
        """All questions with their candidates, one by one, in the order of the data."""
        from prbgen.downstream.candidates import CandidateRow
        from prbgen.run import read_records

        return read_records(Answers(self.folder).candidates, CandidateRow)


def sample(
    data: Place,
    *,
    policy: str,
    n: int = 16,
    condition: Condition = "profile",
    posts: int = POSTS,
    subset: str | Iterable[str] = (),
    split: str = "",
    limit: int = 0,
    temperature: float = 1.0,
    top_p: float = 0.9,
    max_tokens: int = 512,
    max_prompt_tokens: int = 8192,
    policy_api_base: str | None = None,
    policy_option: Mapping[str, JsonValue] | None = None,
    reward_model: str | None = None,
    prompts: Place | None = None,
    out: Place | None = None,
    ray: str | None = None,
    display: Display = QUIET,
    **limits: Unpack[LimitKeywords],
) -> SampledCandidates:
    """Have a policy write `n` answers to each question. What is written is kept; a larger `n` asks for the rest alone.

    Args:
        data: What to answer: a dataset, pairs, a run, or LaMP-QA's own questions: folder, file, Hub id.
        policy: Its LiteLLM name, or hf:FOLDER-OR-NAME (transformers, on this machine).
        n: Answers to each question, up to 128.
        condition: What the policy sees: the question alone ("none"), and the asker's posts ("profile").
        posts: Shown at most.
        subset: Only this subset, or these.
        split: Only this one (the first that people have validated).
        limit: Only the first so many questions; 0: all.
        temperature: Of sampling, from 0 to 2.
        top_p: The share of the probability that is drawn from.
        max_tokens: Of one answer, at most.
        max_prompt_tokens: Of one prompt, at most: longer ones lose posts.
        policy_api_base: Where the policy is served.
        policy_option: Anything else that LiteLLM takes.
        reward_model: KIND:MODEL that the policy was trained with, if it was.
        prompts: A folder with templates that come before the shipped ones.
        out: For candidates.jsonl and sampling.json (results/DATA/bon-POLICY-CONDITION).
        ray: Work on a Ray cluster: "HOST:PORT", "auto" (one that runs here), "local" (processes on this machine).
        display: Is told how it goes.
        limits: Of what is sent to the policy: see `LimitKeywords`.

    Raises:
        InputError: the data cannot be read, or the settings do not go together.
        ModelError: the policy cannot be used at all.
        FellShortError: a budget is used up; what is there is kept.
        InterruptError: there was a Ctrl-C; what is there is kept.
        MissingExtraError: a part of prbgen that this takes is not installed.
        PrbgenError: the disk refuses.
    """
    from prbgen.downstream.best_of_n.asking import SampleTally
    from prbgen.downstream.best_of_n.policy import SamplingSettings

    refuse_slips(limits, LIMITS, sample)
    refuse_fewer(1, n=n, posts=posts, max_tokens=max_tokens, max_prompt_tokens=max_prompt_tokens)
    if policy.startswith(TRANSFORMERS) and (given := [name for name in LIMITS if limits.get(name) is not None]):
        raise InputError(f"--{given[0].replace('_', '-')} says nothing to {policy}, a policy on this machine")
    settings = SamplingSettings(
        data=data_of(data, subset, split, limit),
        policy=model_of("--policy", policy, policy_api_base, options_of(policy_option, "policy_option")),
        condition=condition,
        posts=posts,
        n=n,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        max_prompt_tokens=max_prompt_tokens,
        limits=limits_of(limits),
        reward_model=reward_model,
    )
    folder = path(out, "out") or answers_folder("bon", settings.data, settings.policy.label, condition, posts)
    tally = SampleTally()
    with cluster_of(ray, display.remark) as cluster:
        sampling = _sampled(settings, Answers(folder), path(prompts, "prompts"), tally, cluster, display)
    return SampledCandidates.model_validate({**dict(sampling), "folder": folder, "shortened": tally.shortened})


def _sampled(
    settings: SamplingSettings,
    answers: Answers,
    own_prompts: Path | None,
    tally: SampleTally,
    cluster: Cluster | None,
    display: Display,
) -> Sampling:
    from prbgen.api.running import Say, worked
    from prbgen.downstream.best_of_n.sample import sample as sampled
    from prbgen.llm.templates import Prompts

    own = Prompts(own_prompts)

    async def work(stop: asyncio.Event, say: Say) -> Sampling:
        return await sampled(settings, answers, own, stop=stop, tally=tally, say=say, cluster=cluster)

    return worked(work, lambda: _progress(tally), display)


def _progress(tally: SampleTally) -> str:
    from prbgen.api.lines import scoring_line

    missing = [f"{tally.missing:,} missing"] if tally.missing else []
    return scoring_line(tally, f"{tally.candidates:,} candidates", *missing)
