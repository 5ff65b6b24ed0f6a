"""What a training leaves behind: a line for each step, and what is known of it as a whole. Read without any extra."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from prbgen.run import read_record
from prbgen.schema import Record


class Step(Record):
    """A line of log.jsonl. `reward` is the mean of the reward model's scores of the answers that were written in this
    step, before it changed the policy; `kl` the distance to the policy as it was (in nats an answer for PPO, a token
    for GRPO; null where it is not computed); `seconds` those that the step took. `shortened` answers were scored
    with fewer posts than the policy was shown, as the reward model takes less.
    """

    step: int
    reward: float
    kl: float | None
    seconds: float
    shortened: int = 0


class Begun(Record):
    """begun.json: which training this folder holds; `prompts` is a hash of them."""

    settings: dict[str, JsonValue]
    prompts: str


class Training(Record):
    """training.json: a training that is finished. `reward_model` is KIND:MODEL; `rewards` and `kls` are those of each
    step, as in log.jsonl, `shortened` is their sum; `seconds` all that training took, over all processes.
    """

    policy: str
    reward_model: str
    algorithm: str
    prompts: int
    prompts_hash: str
    steps: int
    seed: int
    settings: dict[str, JsonValue]
    rewards: tuple[float, ...]
    kls: tuple[float | None, ...]
    seconds: float
    shortened: int = 0
    versions: dict[str, str]


@dataclass(frozen=True)
class Trained:
    """The folder of a training."""

    folder: Path

    @property
    def policy(self) -> Path:
        """The trained policy, with its tokenizer and chat template, as transformers and vLLM load it."""
        return self.folder / "policy"

    @property
    def about(self) -> Path:
        """`Training`; it is there once the training is finished."""
        return self.folder / "training.json"

    @property
    def begun(self) -> Path:
        """`Begun`; it is there from the beginning."""
        return self.folder / "begun.json"

    @property
    def log(self) -> Path:
        """`Step`s, each as soon as it is done."""
        return self.folder / "log.jsonl"

    @property
    def plot(self) -> Path:
        """The mean reward by step."""
        return self.folder / "reward.svg"

    @property
    def checkpoints(self) -> Path:
        """What training goes on from; gone when it is finished."""
        return self.folder / "checkpoints"

    @property
    def ledger(self) -> Path:
        """Every call of a reward model that is asked through calls."""
        return self.folder / "ledger.sqlite"


def read_training(folder: Trained) -> Training:
    """What is known of a finished training.

    Raises:
        InputError: there is none.
    """
    return read_record(folder.about, Training, "prbgen ppo train")
