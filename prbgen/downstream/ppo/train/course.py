"""The course of a training, for whoever watches and for whoever goes on with it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from prbgen.downstream.ppo.training import Step
from prbgen.errors import PrbgenError
from prbgen.run import as_line, cannot_write, whole_file

# What each trainer calls the mean reward and the distance to the policy as it was.
_REWARDS = ("objective/scores", "reward")
_KLS = ("objective/kl", "kl")


class DivergedError(PrbgenError):
    """The policy is lost, and nothing of it is saved; the last checkpoint stays as it is."""


def refuse_broken(model: Any, step: int) -> None:
    """See that weights are still numbers, before they take the place of those that were kept.

    Raises:
        DivergedError: they are not.
    """
    if not all(bool(weights.isfinite().all()) for weights in model.parameters()):
        raise DivergedError(f"training diverged in step {step}: weights are no numbers any more; try a lower --lr")


class Log:
    """log.jsonl, and what stands in it."""

    def __init__(self, path: Path, steps: list[Step]) -> None:
        self._path = path
        self.steps = steps

    @classmethod
    def until(cls, path: Path, step: int) -> Self:
        """The log of a training that goes on after this step: what stands there of later ones is done again."""
        steps: list[Step] = []
        if path.is_file():
            for line in path.read_bytes().splitlines()[:step]:
                try:
                    steps.append(Step.model_validate_json(line))
                except ValidationError:  # torn when the process was killed
                    break
        with whole_file(path) as file:
            file.writelines(map(as_line, steps))
        return cls(path, steps)

    def add(self, step: Step) -> None:
        """Note a step that is done.

        Raises:
            PrbgenError: the disk refuses.
        """
        self.steps.append(step)
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(as_line(step))
        except OSError as error:
            raise cannot_write(self._path, error) from None


@dataclass
class Course:
    """How far a training is. `stop` asks it to end after the step that is under way; `say` tells the user what matters.
    Until training `began`, at so many seconds of `time.monotonic`, `stage` says what is done. The reward adds to
    `shortened` the answers of the step under way that it scores with fewer posts.
    """

    stop: threading.Event = field(default_factory=threading.Event)
    say: Callable[[str], None] = lambda _: None
    stage: str = "reading prompts"
    steps: int = 0
    done: int = 0
    new: int = 0
    reward: float | None = None
    kl: float | None = None
    began: float | None = None
    shortened: int = 0

    def begin(self, log: Log, steps: int) -> None:
        """Training begins, or goes on where this log ends."""
        self._log, self.steps, self.done = log, steps, len(log.steps)
        self.began = self._last = time.monotonic()

    def took_step(self, step: int, logged: dict[str, Any]) -> None:
        """Note what a trainer logs of a step; whatever else it logs is passed over.

        Raises:
            DivergedError: a figure is no number any more.
        """
        reward = next((logged[name] for name in _REWARDS if name in logged), None)
        if reward is None:
            return
        kl = next((logged[name] for name in _KLS if name in logged), None)
        if not all(math.isfinite(each) for each in (reward, kl or 0.0)):
            raise DivergedError(f"training diverged in step {step} (reward {reward:g}, kl {kl}): try a lower --lr")
        now = time.monotonic()
        seconds, shortened = now - self._last, self.shortened
        self._log.add(Step(step=step, reward=reward, kl=kl, seconds=seconds, shortened=shortened))
        self.shortened = 0
        self._last, self.done, self.new, self.reward, self.kl = now, step, self.new + 1, reward, kl
