"""The score of a reward model of any kind as a reward: a server that was there and is away now is waited for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import Self

from prbgen.downstream.ppo.train.course import Course
from prbgen.downstream.ppo.train.prompts import Words
from prbgen.downstream.ppo.train.reward import Grouped
from prbgen.errors import InterruptError, PrbgenError
from prbgen.evaluation.scorers import open_scorer
from prbgen.evaluation.scorers.scorer import Asked, Found, Scorer
from prbgen.evaluation.settings import ScorerSettings
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic

PATIENCE = 600.0  # seconds
_PAUSE = 10.0
# Calls to an LLM have patience of their own, and an unusable reply is on record: it would be the same again.
_WAITED_FOR = ("http", "pooling")


class _AwayError(Exception):
    """What may be otherwise in a while."""


class _GivenUpError(PrbgenError):
    """What will never be otherwise."""


class AskedReward:
    """A Reward, within a block. A server that has never answered is not waited for.

    A prompt that is too long for the reward model is asked with fewer posts, where `prompts` say how it goes with them,
    and the answers to it are counted in `course.shortened`.

    Raises:
        PrbgenError: on entering the block: a model to be run here cannot be used.
    """

    def __init__(
        self,
        settings: ScorerSettings,
        ledger: Path,
        course: Course,
        prompts: Sequence[Words] = (),
        *,
        patience: float = PATIENCE,
        pause: float = _PAUSE,
    ) -> None:
        self._settings = settings
        self._ledger = ledger
        self._course = course
        self._words: Mapping[str, Words] = {words.text: words for words in prompts}
        self._patience = patience
        self._pause = pause
        self._answered = False
        self._loaded: Scorer | None = None
        self._versions: dict[str, str] = {}

    def __enter__(self) -> Self:
        """Begin, with a model that is run here loaded."""
        self._runner, self._stack = asyncio.Runner(), AsyncExitStack()
        if self._settings.kind == "scalar":
            try:
                self._loaded = self._runner.run(self._open(self._stack, asyncio.Event()))
            except BaseException:
                self._runner.close()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._stack.aclose())
        self._runner.close()

    @property
    def versions(self) -> dict[str, str]:
        """Source: Reward."""
        return self._versions

    def __call__(self, prompts: Sequence[str], answers: Sequence[str]) -> list[float]:
        """Source: Reward."""
        grouped, away_since = Grouped(prompts, answers), 0.0
        while grouped.missing():
            try:
                self._runner.run(self._ask(grouped))
            except _AwayError as error:
                away_since = away_since or time.monotonic()
                self._wait(error, time.monotonic() - away_since)
        self._answered = True
        return grouped.scores()

    def _wait(self, error: _AwayError, away: float) -> None:
        name = self._settings.name
        if not self._answered or self._settings.kind not in _WAITED_FOR:
            raise PrbgenError(str(error)) from None
        if away >= self._patience:
            raise PrbgenError(f"{name}: no rewards for {away / 60:.0f} min ({error})") from None
        self._course.say(f"{name}: {error}; waiting for it, for {(self._patience - away) / 60:.0f} min at most")
        if self._course.stop.wait(self._pause):
            raise InterruptError("interrupted") from None

    async def _ask(self, grouped: Grouped) -> None:
        """Put the scores that are missing; those that come before a fault are kept."""
        stop = asyncio.Event()
        watch = asyncio.create_task(self._watched(stop))
        try:
            async with self._scorer(stop) as scorer:
                asked = [self._asked(place, *grouped.groups[place]) for place in grouped.missing()]
                most = {each.place: each.most for each in asked}
                async with aclosing(scorer.score(asked, stop)) as scored:
                    async for found in scored:
                        self._put(found, most[found.place], grouped)
                self._versions = scorer.versions
        except _GivenUpError:
            raise
        except PrbgenError as error:
            if self._course.stop.is_set():
                raise InterruptError("interrupted") from None
            raise _AwayError(str(error)) from None
        finally:
            watch.cancel()

    @asynccontextmanager
    async def _scorer(self, stop: asyncio.Event) -> AsyncIterator[Scorer]:
        """The model that is loaded, or one opened anew: what failed for good a minute ago may be there again."""
        if self._loaded:
            yield self._loaded
            return
        async with AsyncExitStack() as stack:
            yield await self._open(stack, stop)

    async def _open(self, stack: AsyncExitStack, stop: asyncio.Event) -> Scorer:
        say = self._course.say if self._settings.kind == "scalar" else lambda _: None
        return await open_scorer(
            self._settings, Prompts(None), self._ledger, stack, stop=stop, traffic=Traffic(), say=say
        )

    def _asked(self, place: int, prompt: str, answers: tuple[str, ...]) -> Asked:
        words = self._words.get(prompt) or Words(prompt)
        return Asked(place, f"prompt {place}", answers, len(words.shorter), words.with_posts)

    def _put(self, found: Found, most: int, grouped: Grouped) -> None:
        name = self._settings.name
        if found.reason and found.faulty and not self._loaded:
            raise _AwayError(found.reason)
        if found.reason:
            raise _GivenUpError(f"{name}: no score for an answer ({found.reason}), so no reward")
        grouped.put(found.place, found.scores, name)
        if found.posts < most:
            self._course.shortened += len(found.scores)

    async def _watched(self, stop: asyncio.Event) -> None:
        """Have calls end when the user stops training; what is computed here is soon done, and the step with it."""
        while not self._course.stop.is_set() or self._loaded:  # noqa: ASYNC110 # set by a signal: no event of this loop
            await asyncio.sleep(0.2)
        stop.set()
