"""What a check sees of a pair, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from prbgen.recipe import CheckSettings
from prbgen.schema import Outcome


@dataclass(frozen=True)
class Given:
    """What both answers were written for.

    `words` is their limit; `guarded` are the texts that no answer may repeat: the narrative, evidence and reasons.
    """

    question: str
    words: int
    guarded: tuple[str, ...] = ()
    settings: CheckSettings = field(default_factory=CheckSettings)


@dataclass(frozen=True)
class Finding:
    """How a check came out; `figure` is what was measured, `detail` says in words what is wrong or not known."""

    outcome: Outcome
    figure: float | None = None
    detail: str | None = None


PASSED = Finding("pass")

# On one answer, whichever side it is.
AnswerCheck: TypeAlias = Callable[[str, Given], Finding]
# On both: chosen, rejected. What it finds is the same either way round.
PairCheck: TypeAlias = Callable[[str, str, Given], Finding]
