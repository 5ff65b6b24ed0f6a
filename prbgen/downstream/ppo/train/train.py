"""A training from beginning to end: once finished, the same settings find it done."""

from __future__ import annotations

import contextlib
import io
import platform
import shutil
from importlib.metadata import version

from pydantic import ValidationError

from prbgen import __version__
from prbgen.downstream.ppo.train.asked_reward import AskedReward
from prbgen.downstream.ppo.train.course import Course, DivergedError
from prbgen.downstream.ppo.train.job import Job
from prbgen.downstream.ppo.train.plot import reward_plot
from prbgen.downstream.ppo.train.prompts import hash_of, read_prompts
from prbgen.downstream.ppo.train.reward import Reward
from prbgen.downstream.ppo.train.settings import TrainSettings
from prbgen.downstream.ppo.training import Begun, Step, Trained, Training, read_training
from prbgen.errors import InputError, PrbgenError
from prbgen.evaluation.scorers.scalar.memory import out_of_memory
from prbgen.evaluation.scorers.scalar.quiet import quiet
from prbgen.kept_folder import kept_folder
from prbgen.run import read_records, whole_file, write_record

# What torch says when it is to draw a token from probabilities that are no numbers: on a CPU, and on a GPU.
_DIVERGED = ("probability tensor contains", "device-side assert")
_PACKAGES = ("accelerate", "torch", "transformers", "trl")


def train(settings: TrainSettings, course: Course) -> Training:
    """Train a policy, or go on with it; `settings.out` holds the policy and all that is known of its training.

    Raises:
        InputError: data, models or settings cannot be used, or the folder holds another training.
        PrbgenError: a reward is missing, training diverged, or something does not fit in memory.
        InterruptError: `course.stop` was set.
    """
    prompts = read_prompts(settings.prepared)
    folder = Trained(settings.out)
    with kept_folder(folder.folder, "trainings", folder.begun):
        begun = Begun(settings=settings.recorded, prompts=hash_of(prompts))
        _refuse_another(folder, begun)
        if folder.about.is_file():
            return read_training(folder)
        course.stage = f"loading {settings.scorer.name}"
        with AskedReward(settings.scorer, folder.ledger, course, prompts) as reward:
            write_record(folder.begun, begun)
            _trained(Job(settings, folder, [words.text for words in prompts], reward, course))
            return _finished(folder, settings, begun, len(prompts), reward)


def _trained(job: Job) -> None:
    from prbgen.downstream.ppo.train.grpo import train_grpo
    from prbgen.downstream.ppo.train.ppo import train_ppo

    job.course.stage = f"loading {job.settings.policy}"
    try:
        # TRL prints to stdout, where only results go.
        with quiet(), contextlib.redirect_stdout(io.StringIO()):
            (train_ppo if job.settings.algorithm == "ppo" else train_grpo)(job)
    except (RuntimeError, MemoryError) as error:
        if any(sign in str(error) for sign in _DIVERGED):
            raise DivergedError(f"{job.settings.policy}: training diverged; try a lower --lr") from None
        if not out_of_memory(error):
            raise
        why = "training does not fit in memory: try a smaller --micro-batch, or --gradient-checkpointing"
        raise PrbgenError(f"{job.settings.policy}: {why}") from None


def _finished(folder: Trained, settings: TrainSettings, begun: Begun, prompts: int, reward: Reward) -> Training:
    steps = list(read_records(folder.log, Step))
    packages = {name: version(name) for name in _PACKAGES}
    versions = {"python": platform.python_version(), "prbgen": __version__, **reward.versions, **packages}
    training = Training(
        policy=settings.policy,
        reward_model=settings.scorer.name,
        algorithm=settings.algorithm,
        prompts=prompts,
        prompts_hash=begun.prompts,
        steps=len(steps),
        seed=settings.seed,
        settings=begun.settings,
        rewards=tuple(step.reward for step in steps),
        kls=tuple(step.kl for step in steps),
        seconds=sum(step.seconds for step in steps),
        shortened=sum(step.shortened for step in steps),
        versions=versions,
    )
    with whole_file(folder.plot) as file:
        file.write(reward_plot(training.rewards, training.reward_model))
    write_record(folder.about, training)
    shutil.rmtree(folder.checkpoints, ignore_errors=True)
    return training


def _refuse_another(folder: Trained, begun: Begun) -> None:
    path = folder.begun
    # Where nothing has been learned yet there is nothing to mix up.
    if not path.is_file() or not folder.log.is_file() or not folder.log.stat().st_size:
        return
    try:
        before = Begun.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        raise InputError(f"{path}: cannot be read; name another folder with --out") from None
    if before.prompts != begun.prompts:
        raise InputError(f"{path.parent}: holds a training with other prompts; name another folder with --out")
    names = [*begun.settings, *before.settings]
    if changed := [name for name in names if before.settings.get(name) != begun.settings.get(name)]:
        name = changed[0]
        was, now = before.settings.get(name), begun.settings.get(name)
        raise InputError(
            f"{path.parent}: holds another training ({name} {was!r}, not {now!r}); name another folder with --out"
        )
