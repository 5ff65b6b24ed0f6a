"""What one training is: which policy, which prompts, which reward model, and how it is trained."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from prbgen.errors import InputError
from prbgen.evaluation.settings import ScorerSettings

Algorithm = Literal["ppo", "grpo"]
Dtype = Literal["auto", "float32", "bfloat16"]

# What one of the two says something to; to the other it would say nothing.
_OF: dict[Algorithm, tuple[str, ...]] = {
    "ppo": ("mini_batches", "ppo_epochs", "critic_lr", "value_model"),
    "grpo": ("generations",),
}
# What says nothing about the weights that come out, so that the same training may go on with another value.
_OF_THE_MACHINE = ("prepared", "out", "save_every")


@dataclass(frozen=True)
class TrainSettings:
    """One training, with the paper's settings where nothing else is said.

    `prepared` is a folder of `prbgen ppo prepare`; `policy` and `value_model` are folders or names on the Hub ("" as
    `value_model`: the policy's own backbone with a fresh head). `batch` answers are written in one step, and their
    gradients computed for `micro_batch` at once; `steps` of them (0: as many as `epochs` passes over the prompts take).
    Each batch is gone through `ppo_epochs` times, in `mini_batches` parts (PPO); `generations` answers are written to
    one prompt (GRPO). `kl` weighs the distance to the policy as it was. Prompts and answers have `prompt_tokens` and
    `response_tokens` at most. Weights are float32 whatever `dtype` says: at such small rates, bfloat16 weights would
    not move; with bfloat16 (auto: on a GPU that has it) passes through the models are computed in it.

    Raises:
        InputError: they do not go together.
    """

    prepared: Path
    policy: str
    scorer: ScorerSettings
    out: Path
    algorithm: Algorithm = "ppo"
    steps: int = 0
    epochs: int = 1
    batch: int = 128
    micro_batch: int = 8
    mini_batches: int = 1
    ppo_epochs: int = 1
    lr: float = 5e-7
    critic_lr: float = 5e-6
    kl: float = 0.001
    prompt_tokens: int = 8192
    response_tokens: int = 512
    temperature: float = 1.0
    generations: int = 8
    value_model: str = ""
    seed: int = 0
    device: str = ""
    dtype: Dtype = "auto"
    save_every: int = 20
    gradient_checkpointing: bool = False

    def __post_init__(self) -> None:
        if self.scorer.kind == "judge":
            raise InputError(f"--scorer {self.scorer.name}: compares two answers, and gives none a reward")
        self._refuse_what_says_nothing()
        if self.batch % self.micro_size:
            raise InputError(f"--batch {self.batch} is no multiple of --micro-batch {self.micro_size}")
        if self.algorithm == "ppo" and self.batch % (self.mini_batches * self.micro_size):
            parts = f"--mini-batches {self.mini_batches} times --micro-batch {self.micro_size}"
            raise InputError(f"--batch {self.batch} is no multiple of {parts}")
        if self.algorithm == "grpo" and self.batch % self.generations:
            raise InputError(f"--batch {self.batch} is no multiple of --generations {self.generations}")
        if self.algorithm == "grpo" and self.generations < 2:
            raise InputError("--generations 1: GRPO compares answers to one prompt, and needs 2 or more")

    def _refuse_what_says_nothing(self) -> None:
        set_ = [each.name for each in fields(self) if getattr(self, each.name) != each.default]
        for algorithm, names in _OF.items():
            if algorithm != self.algorithm and (name := next((each for each in names if each in set_), "")):
                flag = "--" + name.replace("_", "-")
                raise InputError(f"{flag} says nothing to {self.algorithm}: it goes with --algorithm {algorithm}")
        if self.steps and "epochs" in set_:
            raise InputError(f"--steps {self.steps} and --epochs {self.epochs} both say how long to train; give one")

    @property
    def micro_size(self) -> int:
        """How many answers are computed at once: never more than a batch has."""
        return min(self.micro_batch, self.batch)

    @property
    def each(self) -> int:
        """How many answers are written to one prompt."""
        return self.generations if self.algorithm == "grpo" else 1

    def steps_for(self, prompts: int) -> int:
        """How many steps are taken with so many prompts: of an epoch, each prompt has its turn."""
        return self.steps or -(-prompts * self.each * self.epochs // self.batch)

    @property
    def recorded(self) -> dict[str, JsonValue]:
        """What decides which weights come out."""
        ours = {name: value for name, value in vars(self).items() if name not in (*_OF_THE_MACHINE, "scorer")}
        return {**ours, "scorer": self.scorer.name, "scorer_max_tokens": self.scorer.max_tokens}
