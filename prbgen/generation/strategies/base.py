"""What every strategy gives: a brief for the rejected answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from prbgen.generation.tools import Tools
from prbgen.schema import Question, Rubric, RubricAspect


@dataclass(frozen=True)
class Brief:
    """What one answer is to do with which aspects; all else in its prompt is the same on both sides.

    `taken_from` names the question whose rubric it is, where it is another one's; `calls` are the keys of the model
    calls that it took.
    """

    aspects: tuple[RubricAspect, ...]
    keep: bool = True
    taken_from: str | None = None
    calls: tuple[str, ...] = ()


class Strategy(Protocol):
    """A way to break a rubric at equal general quality."""

    # The templates that it uses besides answer.j2.
    prompts: tuple[str, ...]
    # Whether the rejected answer is told to do without every aspect: then it may cover few of them.
    without: bool

    def __init__(self, tools: Tools) -> None: ...

    async def brief(self, question: Question, rubric: Rubric) -> Brief:
        """What the rejected answer is to do.

        Raises:
            RejectedError: this question cannot be treated so.
        """
        ...
