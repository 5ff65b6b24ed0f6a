"""What a policy is asked, and what it writes: any model that can write several answers to one prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from prbgen.downstream.candidates import Candidate
from prbgen.errors import InputError
from prbgen.evaluation.settings import Condition, DataSettings
from prbgen.evaluation.summary import Cost
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings

# Answers to one question.
MOST = 128


@dataclass(frozen=True)
class SamplingSettings:
    """`n` candidates for each question of `data`, from `policy`, which sees at most `posts` posts where `condition` is
    `profile`, and none where it is `none`.

    A prompt has at most `max_prompt_tokens`, an answer `max_tokens`. `reward_model` (KIND:MODEL) is the one that the
    policy was trained with, null if it was not. What `policy` sets itself (temperature, say) comes before this.

    Raises:
        InputError: a number is out of bounds, or there is no such condition for a policy.
    """

    data: DataSettings
    policy: ModelSettings
    condition: Condition = "profile"
    posts: int = 10
    n: int = 16
    temperature: float = 1.0
    top_p: float = 0.9
    max_tokens: int = 512
    max_prompt_tokens: int = 8192
    limits: LimitSettings = field(default_factory=LimitSettings)
    reward_model: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST:
            raise InputError(f"--n {self.n}: should be from 1 to {MOST}")
        if self.condition not in ("none", "profile"):
            raise InputError(f"--condition {self.condition}: a policy sees either none or profile")
        if not 0 <= self.temperature <= 2:
            raise InputError(f"--temperature {self.temperature:g}: should be from 0 to 2")
        if not 0 < self.top_p <= 1:
            raise InputError(f"--top-p {self.top_p:g}: should be above 0, and 1 at most")


@dataclass(frozen=True)
class Prompt:
    """A question to answer.

    `item` is its name in logs and ledgers. `message(posts)` is what the asker says when the first `posts` posts are
    shown, for 0 to `most`; a prompt that is too long loses its last posts, one by one.
    """

    item: str
    message: Callable[[int], str]
    most: int


@dataclass(frozen=True)
class Written:
    """What a policy wrote: n candidates, or fewer and why (`reason`, one line that may be shown), for a prompt with so
    many `posts`, null where nothing was asked. A candidate without a text has a reason of its own. `faulty`: it is the
    policy that failed, and not the question that cannot be answered; `known`: all of it was written earlier.
    """

    posts: int | None
    candidates: tuple[Candidate, ...] = ()
    reason: str | None = None
    faulty: bool = False
    known: bool = False


class Policy(Protocol):
    """A model that writes answers, and is ready."""

    @property
    def name(self) -> str:
        """What it is called in records: without folders of this machine."""
        ...

    @property
    def settings(self) -> dict[str, JsonValue]:
        """What it is asked with, and whatever else may change its answers: temperature, top_p, max_tokens ..."""
        ...

    @property
    def versions(self) -> dict[str, str]:
        """The packages that its answers rest on."""
        ...

    @property
    def cost(self) -> Cost | None:
        """What its calls took, over all processes; null where it makes none that cost."""
        ...

    @property
    def at_once(self) -> int:
        """How many questions it can work on at once."""
        ...

    async def answers(self, prompt: Prompt, n: int) -> Written:
        """Write n answers. What was written before is not written again: of a larger n it is the first ones.

        Raises:
            InterruptError: the process is being stopped.
            PrbgenError: the model cannot be used at all.
        """
        ...
