"""Answers scored by a classifier: what is too long loses its last posts; the model runs in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Self

from prbgen.errors import InterruptError
from prbgen.evaluation.scorers.opening import Opening
from prbgen.evaluation.scorers.scalar.classifier import Classifier
from prbgen.evaluation.scorers.scalar.fitting import Fitting
from prbgen.evaluation.scorers.scorer import Asked, Found, Scorer
from prbgen.evaluation.settings import ScorerSettings
from prbgen.evaluation.summary import Cost, ModelFacts

if TYPE_CHECKING:
    from prbgen.evaluation.scorers.scalar.on_cluster import ClusterScalarScorer


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
        loop, fitting = asyncio.get_running_loop(), Fitting(self._classifier.encode)
        pipeline = self._classifier.pipeline(asked, fitting, self._tokenizer)
        try:
            while pipeline.read():
                if stop.is_set():
                    raise InterruptError("interrupted")
                for scores in await loop.run_in_executor(self._model, pipeline.step, self._classifier.run):
                    yield fitting.found(scores)
        finally:
            pipeline.close()

    async def close(self) -> None:
        """Give back the threads, when what they do is done."""
        for pool in (self._model, self._tokenizer):
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)


async def open_scalar(opening: Opening) -> Scorer:
    """Source: Opener."""
    scorer: ScalarScorer | ClusterScalarScorer
    if opening.cluster:
        from prbgen.evaluation.scorers.scalar.on_cluster import ClusterScalarScorer

        scorer = await ClusterScalarScorer.open(opening.settings, stop=opening.stop, traffic=opening.traffic)
    else:
        scorer = await asyncio.to_thread(ScalarScorer.load, opening.settings)
    if scorer.remark:
        opening.say(scorer.remark)
    return scorer
