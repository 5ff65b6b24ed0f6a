"""What is where: the folder of a policy's answers, with those who scored and judged them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from prbgen.downstream.facts import Sampling
from prbgen.errors import InputError
from prbgen.run import read_record


@dataclass(frozen=True)
class Scored:
    """What one reward model says of the candidates, under one condition: scores/NAME."""

    folder: Path

    @property
    def scores(self) -> Path:
        """`ScoreRow`s."""
        return self.folder / "scores.jsonl"

    @property
    def about(self) -> Path:
        """The reward model, the condition, and what scoring took."""
        return self.folder / "scoring.json"


@dataclass(frozen=True)
class JudgedBy:
    """What one judge says of the candidates, and the curves that rest on it: judges/NAME."""

    folder: Path

    @property
    def judgements(self) -> Path:
        """`JudgementRow`s."""
        return self.folder / "judgements.jsonl"

    @property
    def about(self) -> Path:
        """The judge, its mean quality of all candidates, and what judging took."""
        return self.folder / "judging.json"

    @property
    def ledger(self) -> Path:
        """Every call of the judge."""
        return self.folder / "ledger.sqlite"

    @property
    def curve(self) -> Path:
        """The curve of every reward model that scored the candidates."""
        return self.folder / "curve.json"

    @property
    def plot(self) -> Path:
        """The same as a picture."""
        return self.folder / "curve.svg"

    def qualities(self, scorer: str) -> Path:
        """The expected quality of best-of-k of each question, for the reward model whose folder has this name."""
        return self.folder / f"{scorer}.jsonl"


@dataclass(frozen=True)
class Answers:
    """A policy's answers: N candidates a question for Best-of-N, mostly one for a policy that was trained."""

    folder: Path

    @property
    def candidates(self) -> Path:
        """`CandidateRow`s."""
        return self.folder / "candidates.jsonl"

    @property
    def about(self) -> Path:
        """The data, the policy, how it was asked, and what that took."""
        return self.folder / "sampling.json"

    @property
    def ledger(self) -> Path:
        """Every call of the policy."""
        return self.folder / "ledger.sqlite"

    def sampling(self) -> Sampling:
        """What the answers are.

        Raises:
            InputError: there are none.
        """
        return read_record(self.about, Sampling, "prbgen bon sample")

    def refuse_others(self, sampling: Sampling, command: str) -> None:
        """What a command works on should still be there when it is done.

        Raises:
            InputError: `sampling` was read before, and there are other answers now.
        """
        if self.sampling().answers != sampling.answers:
            raise InputError(
                f"{self.folder}: `prbgen bon sample` has written other answers meanwhile; run `{command}` again"
            )

    def scored(self, name: str) -> Scored:
        """The folder of a reward model, by its name there."""
        return Scored(self.folder / "scores" / name)

    def judged(self, name: str) -> JudgedBy:
        """The folder of a judge, by its name there."""
        return JudgedBy(self.folder / "judges" / name)
