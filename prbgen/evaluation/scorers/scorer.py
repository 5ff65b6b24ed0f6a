"""What every kind of reward model is asked, and what it says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from prbgen.evaluation.item import Letter
from prbgen.evaluation.summary import Cost, ModelFacts
from prbgen.llm.flow import as_finished

TOO_LONG = "too long"


class TooLongError(Exception):
    """The input does not fit into the model, or is longer than it may be."""


class UnscoredError(Exception):
    """Why there is no score, in one line that may be shown. `recorded`: a reply is on record, so that asking again
    changes nothing.
    """

    def __init__(self, reason: str, *, recorded: bool = False) -> None:
        super().__init__(reason)
        self.recorded = recorded


@dataclass(frozen=True)
class Asked:
    """Answers to score, two of a pair (chosen, rejected) or N candidates. A judge compares two.

    `place` is the caller's number for them, `item` their name in logs and ledgers.

    `message(posts)` is what the asker says to the model when the first `posts` posts are shown, for 0 to `most`. An
    input that is too long loses its last posts, one by one; if it is too long without any, it is unscored.
    """

    place: int
    item: str
    answers: tuple[str, ...]
    most: int
    message: Callable[[int], str]


@dataclass(frozen=True)
class Found:
    """What a model says of answers: a score for each, or verdicts on two with the first one as A and as B, or why
    neither (`reason`).

    `posts` were shown. `faulty`: it is the model that failed, and not the answers that cannot be scored.
    """

    place: int
    posts: int
    scores: tuple[float, ...] = ()
    verdict_ab: Letter | None = None
    verdict_ba: Letter | None = None
    reason: str | None = None
    faulty: bool = False


class Scorer(Protocol):
    """A reward model that is ready."""

    @property
    def facts(self) -> ModelFacts:
        """What is known of it."""
        ...

    @property
    def fingerprint(self) -> str:
        """What makes it the same work: the model with its version, and every setting that may change a score."""
        ...

    @property
    def versions(self) -> dict[str, str]:
        """The packages that scores rest on."""
        ...

    @property
    def cost(self) -> Cost | None:
        """What its calls took so far; null where it makes none that cost."""
        ...

    def score(self, asked: Iterable[Asked], stop: asyncio.Event) -> AsyncGenerator[Found, None]:
        """Score answers, in any order; what is read ahead is bounded. When `stop` is set no new work is begun.

        Raises:
            InterruptError: `stop` was set before they ran out (raised after the last result).
            PrbgenError: the model cannot be used at all.
        """
        ...

    async def close(self) -> None:
        """Give back what is held."""
        ...


async def one_by_one(
    work: Callable[[Asked], Awaitable[Found]], asked: Iterable[Asked], *, at_once: int, stop: asyncio.Event
) -> AsyncGenerator[Found, None]:
    """Score what is asked one by one, so much of them under way: `score` of a scorer that is waited for."""
    async with aclosing(as_finished(asked, work, at_once=at_once, stop=stop)) as finished:
        async for _, each in finished:
            yield each
