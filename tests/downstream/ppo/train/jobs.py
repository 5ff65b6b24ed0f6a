"""Trainings of a tiny policy with a reward that is easy to learn."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from prbgen.downstream.ppo.train.course import Course
from prbgen.downstream.ppo.train.job import Job
from prbgen.downstream.ppo.train.reward import Reward
from prbgen.downstream.ppo.train.settings import TrainSettings
from prbgen.downstream.ppo.training import Trained
from prbgen.evaluation.settings import ScorerSettings
from tests.downstream.ppo.train.tiny_policies import QUESTIONS


def job(policy: Path, out: Path, reward: Reward, **more: Any) -> Job:
    """A training that takes seconds; `more` are settings."""
    out.mkdir(parents=True, exist_ok=True)
    quick: dict[str, Any] = {
        "algorithm": "ppo",
        "batch": 16,
        "micro_batch": 16,
        "lr": 3e-3,
        "kl": 0.001,
        "response_tokens": 8,
        "device": "cpu",
    }
    if more.get("algorithm", "ppo") == "ppo":
        quick |= {"ppo_epochs": 2, "critic_lr": 3e-3}
    settings = TrainSettings(out, str(policy), ScorerSettings("scalar", "letters"), out, **(quick | more))
    return Job(settings, Trained(out), QUESTIONS, reward, Course())


def train(job: Job) -> None:
    """Train it by its algorithm."""
    from prbgen.downstream.ppo.train.train import _trained

    _trained(job)


def weights(out: Path) -> str:
    """A hash of a trained policy."""
    return sha256((out / "policy" / "model.safetensors").read_bytes()).hexdigest()
