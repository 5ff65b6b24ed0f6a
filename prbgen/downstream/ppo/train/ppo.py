"""PPO by TRL's trainer, which goes on where it was stopped."""

from __future__ import annotations

from typing import Any

import torch
import transformers

from prbgen.downstream.ppo.chat import encoded
from prbgen.downstream.ppo.train.batches import Batches
from prbgen.downstream.ppo.train.course import DivergedError, refuse_broken
from prbgen.downstream.ppo.train.job import Job
from prbgen.downstream.ppo.train.models import load_critic, refuse_too_long
from prbgen.downstream.ppo.train.randomness import random_state, restore
from prbgen.downstream.ppo.train.reward_module import RewardModule
from prbgen.downstream.ppo.train.saving import Checkpoint
from prbgen.errors import InterruptError, PrbgenError


class _Keeper(transformers.TrainerCallback):
    """Notes each step, keeps checkpoints, and brings the last one back when training goes on from it."""

    def __init__(self, job: Job, checkpoint: Checkpoint) -> None:
        self._job = job
        self._checkpoint = checkpoint
        self.step = checkpoint.step
        self._states: dict[str, Any] = {}

    def bind(self, trainer: Any) -> None:
        """Say whose weights these are."""
        self._trainer = trainer

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """The trainer counts from 0: a training that goes on has steps behind it."""
        if self.step:
            restore(self._checkpoint.load(self._trainer.model, self._trainer.optimizer))
        else:
            transformers.set_seed(self._job.settings.seed)
        state.global_step, state.episode = self.step, self.step * args.batch_size
        self._states = random_state()

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        """A step is done."""
        self._job.course.took_step(state.global_step, logs or {})

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        """Keep what it takes to go on from here."""
        refuse_broken(model, state.global_step)
        self.step, self._states = state.global_step, random_state()
        if self.step < self._job.steps and self._job.course.stop.is_set():
            raise InterruptError("interrupted")
        if self.step % self._job.settings.save_every == 0:
            self.keep()

    def keep(self) -> None:
        """Write a checkpoint of how things were after the last step that is done."""
        self._checkpoint.save(self.step, self._trainer.model, self._trainer.optimizer, self._states)


def train_ppo(job: Job) -> None:
    """Train, and save the policy; goes on from the last checkpoint.

    Raises:
        PrbgenError: a reward is missing. What was learned before is saved.
        InterruptError: it was asked to stop; likewise.
        DivergedError: weights or figures are no numbers any more: there is nothing to save.
    """
    settings, checkpoint = job.settings, Checkpoint(job.folder.checkpoints / "last.pt")
    rows = [encoded(job.tokenizer, message) for message in job.messages]
    keeper = _Keeper(job, checkpoint)
    batches = Batches(rows, settings.batch, job.tokenizer.pad_token_id, settings.seed, checkpoint.step)
    trainer = _trainer(job, rows, batches, keeper)
    job.begin(checkpoint.step)
    try:
        with job.computing():
            trainer.train()
    except DivergedError:
        raise
    except PrbgenError as error:
        # Rewards come before anything changes, so that the weights are those of the last step.
        if keeper.step:
            keeper.keep()
            job.save(trainer.model.policy)
        raise job.stopped(error, keeper.step) from None
    job.save(trainer.model.policy)


def _trainer(job: Job, rows: list[list[int]], batches: Batches, keeper: _Keeper) -> Any:
    from trl.experimental.ppo import PPOConfig, PPOTrainer

    settings, policy = job.settings, job.policy()
    refuse_too_long(rows, settings, policy.config)
    critic = load_critic(settings, job.tokenizer, job.device)
    arguments = PPOConfig(
        output_dir=str(job.folder.checkpoints),
        use_cpu=job.device == "cpu",
        bf16=False,  # see Job.computing
        seed=settings.seed,
        per_device_train_batch_size=settings.micro_size,
        gradient_accumulation_steps=settings.batch // settings.micro_size,
        local_rollout_forward_batch_size=settings.micro_size,
        num_mini_batches=settings.mini_batches,
        num_ppo_epochs=settings.ppo_epochs,
        total_episodes=(job.steps - keeper.step) * settings.batch,
        response_length=settings.response_tokens,
        stop_token="eos",  # noqa: S106
        temperature=settings.temperature,
        kl_coef=settings.kl,
        gradient_checkpointing=settings.gradient_checkpointing,
        missing_eos_penalty=None,
        num_sample_generations=0,
        logging_steps=1,
        save_strategy="no",
        eval_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    trainer = PPOTrainer(
        args=arguments,
        processing_class=job.tokenizer,
        model=policy,
        ref_model=job.policy(),
        reward_model=RewardModule(job.reward, job.messages, job.tokenizer, lambda: batches.now),
        value_model=critic,
        train_dataset=[{"input_ids": row} for row in rows],
        eval_dataset=[{"input_ids": rows[0]}],
        optimizers=_optimizers(policy, critic, settings.lr, settings.critic_lr),
        callbacks=[keeper],
    )
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.dataloader = batches
    # By itself it would take one step of the optimiser for the whole batch, however many parts that has.
    trainer.accelerator.gradient_accumulation_steps = settings.batch // settings.micro_size // settings.mini_batches
    keeper.bind(trainer)
    return trainer


def _optimizers(policy: Any, critic: Any, lr: float, critic_lr: float) -> tuple[Any, Any]:
    """AdamW with a rate for each of the two, both constant."""
    groups = [{"params": list(policy.parameters()), "lr": lr}, {"params": list(critic.parameters()), "lr": critic_lr}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.0)
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
