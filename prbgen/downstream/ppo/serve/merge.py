"""Requests that are scored together: what they ask about one prompt is asked once, and equal answers are one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from prbgen.downstream.ppo.serve.job import Job
from prbgen.downstream.ppo.serve.refusal import NoScoresError
from prbgen.evaluation.scorers.scorer import Asked


@dataclass(frozen=True)
class Group:
    """Requests that ask about one prompt."""

    prompt: str
    jobs: tuple[Job, ...]

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """All their answers, each one once."""
        return tuple(dict.fromkeys(response for job in self.jobs for response in job.responses[self.prompt]))

    def wanted(self) -> Self | None:
        """Those of the requests that somebody still waits for; null if there are none."""
        jobs = tuple(job for job in self.jobs if not job.done)
        return type(self)(self.prompt, jobs) if jobs else None

    def asked(self, place: int) -> Asked:
        """The same for a scorer."""
        return Asked(place, f"request {place}", self.answers, 0, lambda _: self.prompt)

    def take(self, scores: Sequence[float]) -> None:
        """Give each request its part of these: one for each of `answers`."""
        by_answer = dict(zip(self.answers, scores, strict=True))
        for job in self.jobs:
            job.take(self.prompt, by_answer)

    def failed(self, error: NoScoresError) -> list[Group]:
        """What to ask now that these answers together have no scores: each request by itself, so that none fails for
        another one's answers. Where all of them ask the same, there is nothing left to ask, and they fail.
        """
        alike: dict[frozenset[str], list[Job]] = {}
        for job in self.jobs:
            alike.setdefault(frozenset(job.responses[self.prompt]), []).append(job)
        if len(alike) > 1:
            return [Group(self.prompt, tuple(jobs)) for jobs in alike.values()]
        for job in self.jobs:
            job.fail(error)
        return []


def merged(jobs: Iterable[Job]) -> list[Group]:
    """All that these requests ask, by prompt."""
    by_prompt: dict[str, list[Job]] = {}
    for job in jobs:
        for prompt in job.responses:
            by_prompt.setdefault(prompt, []).append(job)
    return [Group(prompt, tuple(asking)) for prompt, asking in by_prompt.items()]
