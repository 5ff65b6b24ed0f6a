"""What both trainers are given, and how both end."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from prbgen.downstream.ppo.train.course import Course, Log
from prbgen.downstream.ppo.train.models import computes_in_bfloat16, device_of, load_policy, load_tokenizer
from prbgen.downstream.ppo.train.reward import Reward
from prbgen.downstream.ppo.train.saving import save_policy
from prbgen.downstream.ppo.train.settings import TrainSettings
from prbgen.downstream.ppo.training import Trained
from prbgen.errors import InterruptError, PrbgenError


@dataclass(frozen=True)
class Job:
    """One training: `messages` are what the askers say."""

    settings: TrainSettings
    folder: Trained
    messages: Sequence[str]
    reward: Reward
    course: Course

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return self.settings.steps_for(len(self.messages))

    @cached_property
    def device(self) -> str:
        """Where it runs: cpu or cuda."""
        return device_of(self.settings)

    @cached_property
    def tokenizer(self) -> Any:
        """The policy's."""
        return load_tokenizer(self.settings.policy)

    def policy(self) -> Any:
        """The policy as it is before training; a new copy each time."""
        return load_policy(self.settings.policy, self.tokenizer, self.device)

    def computing(self) -> AbstractContextManager[Any]:
        """How passes through the models are computed: all alike, those that write answers and those that learn."""
        # Weights change while it is in force, so that none may be remembered in its other precision.
        enabled = computes_in_bfloat16(self.settings, self.device)
        return torch.autocast(self.device, dtype=torch.bfloat16, enabled=enabled, cache_enabled=False)

    def begin(self, step: int) -> None:
        """Training begins, or goes on after this step."""
        self.course.begin(Log.until(self.folder.log, step), self.steps)

    def save(self, model: Any) -> None:
        """Put the policy where it is expected."""
        save_policy(model, self.tokenizer, self.settings.policy, self.folder.policy)

    def stopped(self, error: PrbgenError, step: int) -> PrbgenError:
        """What to say when training stops early, with all that was learned up to this step saved."""
        kind = InterruptError if isinstance(error, InterruptError) else PrbgenError
        if not step:
            return kind(f"{error}; nothing has been learned yet")
        kept = f"the policy after step {step:,} is in {self.folder.policy}"
        return kind(f"{error}; {kept}, and the same command goes on from there")
