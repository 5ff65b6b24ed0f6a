"""What the policy is rewarded with: a reward model's score of each answer, or none at all and training stops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from prbgen.errors import PrbgenError


class Reward(Protocol):
    """A reward model that is ready."""

    @property
    def versions(self) -> dict[str, str]:
        """The packages that scores rest on."""
        ...

    def __call__(self, prompts: Sequence[str], answers: Sequence[str]) -> list[float]:
        """The score of each answer to the prompt at the same place; each is a finite number.

        Raises:
            PrbgenError: a score is missing. There is no default one: the policy would learn from it.
        """
        ...


class Grouped:
    """Answers by what they answer: those to one prompt are scored together, so that it is computed once."""

    def __init__(self, prompts: Sequence[str], answers: Sequence[str]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, prompt in enumerate(prompts):
            self._places.setdefault(prompt, []).append(place)
        self.groups: list[tuple[str, tuple[str, ...]]] = [
            (prompt, tuple(answers[place] for place in places)) for prompt, places in self._places.items()
        ]
        self._scores: list[float | None] = [None] * len(answers)

    def put(self, group: int, scores: Sequence[float], name: str) -> None:
        """Note the scores of a group's answers, in their order.

        Raises:
            PrbgenError: there is not one finite score for each.
        """
        places = self._places[self.groups[group][0]]
        if len(scores) != len(places) or not all(map(math.isfinite, scores)):
            said = ", ".join(f"{score:g}" for score in scores[:4])
            raise PrbgenError(f"{name}: gave no finite score to each of {len(places)} answers ({said})")
        for place, score in zip(places, scores, strict=True):
            self._scores[place] = float(score)

    def missing(self) -> list[int]:
        """The groups that have no scores yet."""
        return [
            group
            for group, (prompt, _) in enumerate(self.groups)
            if any(self._scores[place] is None for place in self._places[prompt])
        ]

    def scores(self) -> list[float]:
        """All scores, in the order of the answers, once none is missing."""
        return [score for score in self._scores if score is not None]
