"""What a reward model scores candidates of, and what it sees of the askers."""

from __future__ import annotations

from dataclasses import dataclass

from prbgen.errors import InputError
from prbgen.evaluation.settings import Condition, DataSettings, PlannerSettings, ScorerSettings, refuse_planner

OPPONENTS = 4


@dataclass(frozen=True)
class BestOfNScoring:
    """A reward model, what it sees of the askers, and the data that they come from.

    A judge compares each candidate with `opponents` others (an even number), or with all if there are not more. The
    condition `planner` has a planner, and no other.

    Raises:
        InputError: its parts do not go together.
    """

    data: DataSettings
    condition: Condition
    scorer: ScorerSettings
    posts: int = 10
    planner: PlannerSettings | None = None
    opponents: int = OPPONENTS

    def __post_init__(self) -> None:
        if self.opponents < 2 or self.opponents % 2:
            raise InputError(f"--opponents {self.opponents}: should be an even number from 2")
        refuse_planner(self.condition, self.planner)

    @property
    def identity(self) -> dict[str, object]:
        """What a folder of scores is about: the candidates may grow."""
        return {
            "data": self.data.data,
            "scorer": self.scorer.name,
            "condition": self.condition,
            "posts": self.posts,
            "planner": self.planner.model.label if self.planner else None,
            "opponents": self.opponents,
        }
