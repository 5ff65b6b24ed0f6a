"""Answers scored by a classifier: what is too long loses its last posts; the model runs in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Self

from prbgen.errors import InterruptError
from prbgen.evaluate.scorers.scalar.classifier import Classifier
from prbgen.evaluate.scorers.scalar.plan import Row
from prbgen.evaluate.scorers.scalar.schedule import GroupScores
from prbgen.evaluate.scorers.scorer import TOO_LONG, Asked, Found, UnscoredError
from prbgen.evaluate.scorers.shorten import Shortening
from prbgen.evaluate.settings import ScorerSettings
from prbgen.evaluate.summary import Cost, ModelFacts


class ScalarScorer:
    """A Scorer."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._model = ThreadPoolExecutor(1, "scalar-model")
        self._tokenizer = ThreadPoolExecutor(1, "scalar-tokenizer")

    @classmethod
    def load(cls, settings: ScorerSettings) -> Self:
        """As `Classifier.load`.

        Raises:
            InputError: the model cannot be used.
        """
        return cls(Classifier.load(settings))

    @property
    def facts(self) -> ModelFacts:
        """What is known of the model."""
        return self._classifier.facts

    @property
    def fingerprint(self) -> str:
        """What makes it the same work."""
        return self._classifier.fingerprint

    @property
    def versions(self) -> dict[str, str]:
        """The packages that scores rest on."""
        return self._classifier.versions

    @property
    def cost(self) -> Cost | None:
        """None: the user's own machine."""
        return None

    @property
    def remark(self) -> str | None:
        """Why it is run in a slower way than was meant; null if it is not."""
        return self._classifier.remark

    async def score(self, asked: Iterable[Asked], stop: asyncio.Event) -> AsyncGenerator[Found, None]:
        """Score answers, in any order. When `stop` is set the batch that runs is finished, and no other one begun.

        Raises:
            InterruptError: `stop` was set before they ran out (raised after the last result).
        """
        loop, posts = asyncio.get_running_loop(), dict[int, int]()
        pipeline = self._classifier.pipeline(asked, partial(self._fit, posts), self._tokenizer)
        try:
            while pipeline.read():
                if stop.is_set():
                    raise InterruptError("interrupted")
                for scores in await loop.run_in_executor(self._model, pipeline.step):
                    yield _found(scores, posts.pop(scores.place))
        finally:
            pipeline.close()

    async def close(self) -> None:
        """Give back the threads, when what they do is done."""
        for pool in (self._model, self._tokenizer):
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)

    def _fit(self, posts: dict[int, int], asked: Asked) -> tuple[int, list[Row] | str]:
        """The answers with as many posts as fit, a number that is noted in `posts`; or why not."""
        fitting: list[Row] | str = TOO_LONG
        posts[asked.place] = 0
        try:
            for tried in (shortening := Shortening(asked.most)):
                if rows := self._classifier.encode(asked.message(tried), asked.answers):
                    fitting, posts[asked.place] = rows, tried
                else:
                    shortening.too_long()
        except UnscoredError as why:
            return asked.place, str(why)
        return asked.place, fitting


def _found(scores: GroupScores, posts: int) -> Found:
    if scores.reason:
        return Found(scores.place, posts, reason=scores.reason, faulty=scores.reason != TOO_LONG)
    return Found(scores.place, posts, scores.scores)
