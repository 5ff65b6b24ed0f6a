"""Requests scored as one batch by a reward model."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Iterator
from contextlib import aclosing

from prbgen.downstream.ppo.serve.job import Job
from prbgen.downstream.ppo.serve.merge import Group, merged
from prbgen.downstream.ppo.serve.refusal import NoScoresError
from prbgen.evaluation.scorers.scorer import TOO_LONG, Asked, Found, Scorer
from prbgen.llm.cleaning import cleaned_line


async def score_jobs(scorer: Scorer, jobs: Iterable[Job], stop: asyncio.Event) -> bool:
    """Score requests; each one is done as soon as it can be. Returns whether the model failed on any answer.

    Raises:
        Exception: whatever the scorer raises when it cannot be used at all; requests may then be left undone.
    """
    groups, faulty = merged(jobs), False
    while groups:
        under_way: dict[int, Group] = {}
        again: list[Group] = []
        async with aclosing(scorer.score(_asked(groups, under_way), stop)) as found:
            async for each in found:
                group = under_way.pop(each.place)
                result = _scores_of(each, group.answers)
                if isinstance(result, NoScoresError):
                    faulty |= result.reason == "model_failed"
                    again += group.failed(result)
                else:
                    group.take(result)
        for group in under_way.values():
            again += group.failed(NoScoresError("model_failed", "the model said nothing of it"))
        groups = again
    return faulty


async def why_it_fails(scorer: Scorer, stop: asyncio.Event) -> str | None:
    """Why the model does not score the plainest of answers; null if it does."""
    plain = Asked(0, "a plain answer", ("Yes.",), 0, lambda _: "Is it warm?")
    async with aclosing(scorer.score([plain], stop)) as found:
        async for each in found:
            result = _scores_of(each, plain.answers)
            return str(result) if isinstance(result, NoScoresError) else None
    return "it says nothing"


def _asked(groups: Iterable[Group], under_way: dict[int, Group]) -> Iterator[Asked]:
    """What is noted as under way when its turn comes; what nobody waits for any more by then is not begun."""
    for place, group in enumerate(groups):
        if wanted := group.wanted():
            under_way[place] = wanted
            yield wanted.asked(place)


def _scores_of(found: Found, answers: tuple[str, ...]) -> tuple[float, ...] | NoScoresError:
    """A finite score for each answer, or why there are none."""
    if found.reason == TOO_LONG:
        return NoScoresError("too_long", "too long for the model: prompt and response have too many tokens")
    if found.reason is not None:
        return NoScoresError("model_failed", cleaned_line(found.reason))
    if len(found.scores) != len(answers):
        return NoScoresError("model_failed", f"the model gave {len(found.scores)} scores for {len(answers)} answers")
    if not all(map(math.isfinite, found.scores)):
        return NoScoresError("not_finite", "the model's score is not a finite number")
    return found.scores
