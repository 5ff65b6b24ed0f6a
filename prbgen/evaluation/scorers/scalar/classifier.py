"""A sequence classifier that scores answers in groups: the answers of a group share question and profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self, TypeVar

from prbgen.evaluation.scorers.scalar.compute_path import choose_path, probe
from prbgen.evaluation.scorers.scalar.devices import batch_tokens
from prbgen.evaluation.scorers.scalar.encoding import Encoder
from prbgen.evaluation.scorers.scalar.identity import facts, fingerprint, versions
from prbgen.evaluation.scorers.scalar.loading import Loaded, load
from prbgen.evaluation.scorers.scalar.passes import Passes
from prbgen.evaluation.scorers.scalar.pipeline import Pipeline
from prbgen.evaluation.scorers.scalar.plan import Row
from prbgen.evaluation.scorers.scalar.quiet import quiet
from prbgen.evaluation.scorers.scalar.runner import Runner
from prbgen.evaluation.scorers.scalar.schedule import GroupScores, Schedule
from prbgen.evaluation.scorers.scorer import TOO_LONG, UnscoredError
from prbgen.evaluation.settings import ScorerSettings
from prbgen.evaluation.summary import ModelFacts

__all__ = ["Candidates", "Classifier", "GroupScores"]

T = TypeVar("T")


@dataclass(frozen=True)
class Candidates:
    """What one asker says, and answers to it: a pair's two, or N candidates. `place` is the caller's own number."""

    place: int
    message: str
    answers: Sequence[str]


class Classifier:
    """A model with one logit (the score), or two (second minus first). `run` scores rows of tokens."""

    def __init__(self, loaded: Loaded, settings: ScorerSettings) -> None:
        self.limit = loaded.limit
        self._encoder = Encoder(loaded.tokenizer)
        self._encoder.check(settings.model)
        self._passes = Passes(loaded.model, loaded.device)
        rows = probe(self._encoder, self.limit)
        share, dtype, name = settings.share_prefix, loaded.dtype, settings.model
        with quiet():
            self._path = choose_path(self._passes, rows, limit=self.limit, share=share, dtype=dtype, name=name)
        self.run = Runner(self._passes, self._path, batch_tokens(settings, loaded.device))
        self.facts: ModelFacts = facts(loaded, settings)
        self.fingerprint: str = fingerprint(loaded, settings, self._path.label)
        self.versions: dict[str, str] = versions()

    @classmethod
    def load(cls, settings: ScorerSettings) -> Self:
        """Load from a folder or the Hub, and find out how to run it.

        Raises:
            InputError: there is no such model, it has no score head, more than two labels, or cannot score an answer.
        """
        return cls(load(settings), settings)

    @property
    def remark(self) -> str | None:
        """Why it is run in a slower way than was meant; null if it is not."""
        return self._path.remark

    def encode(self, message: str, answers: Sequence[str]) -> list[Row] | None:
        """The tokens of each answer after the message, whole; null if one of them is longer than `limit`.

        Raises:
            UnscoredError: the model's chat template or tokenizer cannot take them.
        """
        return self._encoder.whole(message, answers, self.limit)

    def pipeline(
        self, source: Iterable[T], encode: Callable[[T], tuple[int, list[Row] | str]], on: Executor
    ) -> Pipeline[T]:
        """What makes batches of whatever `encode` makes groups of, for `run`."""
        return Pipeline(source, encode, Schedule(self.run.packing), on)

    def score(self, groups: Iterable[Candidates]) -> Iterator[GroupScores]:
        """The scores of all groups, in any order; reads ahead a bounded number of them.

        A group with an answer that is too long together with the message has a reason, as has one that the model cannot
        score; nothing is cut.
        """
        with ThreadPoolExecutor(1, "scalar-tokenizer") as pool:
            pipeline = self.pipeline(groups, self._rows, pool)
            try:
                while pipeline.read():
                    yield from pipeline.step(self.run)
            finally:
                pipeline.close()

    def _rows(self, group: Candidates) -> tuple[int, list[Row] | str]:
        try:
            rows = self.encode(group.message, group.answers)
        except UnscoredError as why:
            return group.place, str(why)
        return group.place, TOO_LONG if rows is None else rows
