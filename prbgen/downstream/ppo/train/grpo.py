"""GRPO by TRL's trainer, which goes on from its own checkpoints."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import transformers

from prbgen.downstream.ppo.chat import encoded
from prbgen.downstream.ppo.train.batches import Order
from prbgen.downstream.ppo.train.course import DivergedError, refuse_broken
from prbgen.downstream.ppo.train.job import Job
from prbgen.downstream.ppo.train.models import refuse_too_long
from prbgen.downstream.ppo.train.randomness import random_state, restore
from prbgen.downstream.ppo.train.reward_module import answer_text
from prbgen.errors import InterruptError, PrbgenError

_COMPLETE = "complete"


class _Keeper(transformers.TrainerCallback):
    """Notes each step, and which checkpoints are whole: the trainer writes them file by file."""

    def __init__(self, job: Job, step: int) -> None:
        self._job = job
        self.step = step
        self.states: dict[str, Any] = {}

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        """A step is done."""
        self._job.course.took_step(state.global_step, logs or {})

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        """Remember the random states of this step; stop here if asked to."""
        refuse_broken(model, state.global_step)
        self.step, self.states = state.global_step, random_state()
        if self._job.course.stop.is_set():
            control.should_save = control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """The checkpoint of this step is whole."""
        mark_complete(Path(args.output_dir), state.global_step)


def train_grpo(job: Job) -> None:
    """Train, and save the policy; goes on from the last checkpoint.

    Raises:
        PrbgenError: a reward is missing. What was learned before is saved.
        InterruptError: it was asked to stop; likewise.
        DivergedError: weights or figures are no numbers any more: there is nothing to save.
    """
    last = last_complete(job.folder.checkpoints)
    keeper = _Keeper(job, int(last.name.partition("-")[2]) if last else 0)
    trainer = _trainer(job, keeper)
    job.begin(keeper.step)
    try:
        with job.computing():
            trainer.train(resume_from_checkpoint=str(last) if last else None)
        if keeper.step < job.steps:
            raise InterruptError("interrupted")
    except DivergedError:
        raise
    except PrbgenError as error:
        if keeper.step:
            _keep(trainer, keeper, job)
            job.save(trainer.model)
        raise job.stopped(error, keeper.step) from None
    job.save(trainer.model)


def _keep(trainer: Any, keeper: _Keeper, job: Job) -> None:
    """Rewards come before anything changes, so that the weights are still those of the last step."""
    if not (job.folder.checkpoints / f"checkpoint-{keeper.step}" / _COMPLETE).exists():
        restore(keeper.states)
        trainer._save_checkpoint(trainer.model, trial=None)
        mark_complete(job.folder.checkpoints, keeper.step)


def mark_complete(checkpoints: Path, step: int) -> None:
    """Note that all files of a checkpoint are written."""
    (checkpoints / f"checkpoint-{step}" / _COMPLETE).touch()


def last_complete(checkpoints: Path) -> Path | None:
    """The last checkpoint that is whole, null if there is none; what is left of others is removed."""
    found = [folder for folder in checkpoints.glob("checkpoint-*") if folder.name.partition("-")[2].isdecimal()]
    for folder in found:
        if not (folder / _COMPLETE).exists():
            shutil.rmtree(folder)
    whole = [folder for folder in found if folder.exists()]
    return max(whole, key=lambda folder: int(folder.name.partition("-")[2]), default=None)


def _trainer(job: Job, keeper: _Keeper) -> Any:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    settings, tokenizer, policy = job.settings, job.tokenizer, job.policy()
    refuse_too_long([encoded(tokenizer, message) for message in job.messages], settings, policy.config)
    arguments = GRPOConfig(
        output_dir=str(job.folder.checkpoints),
        use_cpu=job.device == "cpu",
        bf16=False,  # see Job.computing
        seed=settings.seed,
        learning_rate=settings.lr,
        lr_scheduler_type="constant",
        per_device_train_batch_size=settings.micro_size,
        gradient_accumulation_steps=settings.batch // settings.micro_size,
        num_generations=settings.generations,
        max_completion_length=settings.response_tokens,
        max_steps=job.steps,
        shuffle_dataset=False,
        temperature=settings.temperature,
        beta=settings.kl,
        gradient_checkpointing=settings.gradient_checkpointing,
        logging_steps=1,
        save_strategy="steps",
        save_steps=settings.save_every,
        # The one before stays until the new one is whole.
        save_total_limit=2,
        report_to="none",
        disable_tqdm=True,
    )
    # Several GPUs would otherwise multiply the batch.
    arguments._n_gpu = min(arguments.n_gpu, 1)

    def rewarded(completion_ids: list[list[int]], row: list[int], **_: Any) -> list[float]:
        answers = [answer_text(tokenizer, tokens) for tokens in completion_ids]
        return job.reward([job.messages[each] for each in row], answers)

    # One pass over all that is asked in all steps: the trainer's own order would begin anew when training goes on.
    order = Order(len(job.messages), settings.seed)
    rows = [order.row(place) for place in range(job.steps * settings.batch // settings.generations)]
    asked = [{"prompt": [{"role": "user", "content": job.messages[row]}], "row": row} for row in rows]
    trainer = GRPOTrainer(
        model=policy,
        reward_funcs=rewarded,
        args=arguments,
        train_dataset=Dataset.from_list(asked),
        processing_class=tokenizer,
        callbacks=[keeper],
    )
    if trainer.ref_model is not None:
        # The trainer has read it from disk as it was, without the rows of tokens that were added.
        trainer.ref_model = trainer.accelerator.prepare_model(job.policy().eval(), evaluation_mode=True)
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer
