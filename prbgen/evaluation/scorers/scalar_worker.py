"""A classifier in a worker process. Importing it needs neither Ray nor torch: a node that lacks torch can say so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from prbgen.cluster.models import Kin, prepared_here
from prbgen.evaluation.settings import ScorerSettings
from prbgen.evaluation.summary import ModelFacts

if TYPE_CHECKING:
    from prbgen.evaluation.scorers.scalar.classifier import Classifier
    from prbgen.evaluation.scorers.scalar.plan import Packing, Row

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Ready:
    """What a worker tells of its classifier: as a Scorer does, and how to make batches for it."""

    facts: ModelFacts
    fingerprint: str
    versions: dict[str, str]
    remark: str | None
    limit: int
    packing: Packing
    kin: Kin


class ScalarWorker:
    """A `Worker` that scores batches, one by one; one more waits, so that the model never does."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "scalar-model")

    async def prepare(self, version: str, environment: dict[str, str], settings: ScorerSettings) -> None:
        """Load the classifier.

        Raises:
            InputError: it cannot be used on this node, or prbgen has another version here.
        """
        self._model = settings.model
        self._classifier = await self._run(_loaded, version, environment, settings)

    async def ready(self) -> Ready:
        """What is known of the classifier."""
        own = self._classifier
        traits = {"device": str(own.facts.device), **own.versions, "fingerprint": own.fingerprint}
        return Ready(
            facts=own.facts, fingerprint=own.fingerprint, versions=own.versions, remark=own.remark,
            limit=own.limit, packing=own.run.packing, kin=Kin.here(**traits),
        )  # fmt: skip

    async def score(self, first: Kin, rows: Sequence[Row], prefix: int) -> list[float | str]:
        """The score of each row, or why there is none; `prefix` tokens that all begin with are computed once.

        Raises:
            InputError: the classifier is another one than what was `first` ready.
        """
        (await self.ready()).kin.refuse_other(self._model, first)
        return await self._run(self._classifier.run, rows, prefix)

    async def _run(self, work: Callable[P, T], *args: P.args, **_: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)


def _loaded(version: str, environment: dict[str, str], settings: ScorerSettings) -> Classifier:
    with prepared_here(version, environment):
        from prbgen.evaluation.scorers.scalar.classifier import Classifier

        return Classifier.load(settings)
