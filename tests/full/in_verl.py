"""Run by a Python that has verl: what verl itself makes of what `prbgen ppo prepare` wrote. Prints JSON.

python in_verl.py FOLDER URL
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import sys
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import cloudpickle
import numpy as np
import torch
from hydra import compose, initialize_config_dir
from verl import DataProto
from verl.experimental.reward_loop.reward_loop import RewardLoopWorker, migrate_legacy_reward_impl
from verl.trainer.ppo.reward import get_custom_reward_fn
from verl.trainer.ppo.utils import need_critic, need_reference_policy
from verl.utils import hf_tokenizer
from verl.utils.config import omega_conf_to_dataclass, validate_config
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn


def composed(folder: str, *overrides: str) -> Any:
    with initialize_config_dir(config_dir=folder, version_base=None):
        config = migrate_legacy_reward_impl(compose("verl", overrides=list(overrides)))
    validate_config(config, use_reference_policy=need_reference_policy(config), use_critic=need_critic(config))
    return config


def rows(config: Any, tokenizer: Any, files: str) -> Any:
    """With verl's own count of tokens, which leaves out what is too long."""
    config.data.filter_overlong_prompts = True
    return RLHFDataset(data_files=files, tokenizer=tokenizer, config=config.data)


def answered(dataset: Any, tokenizer: Any, answers: list[str]) -> DataProto:
    """The first rows, each with an answer, as a rollout gives them to the reward loop."""
    batch = collate_fn([dataset[at] for at in range(len(answers))])
    ids = [tokenizer(answer, add_special_tokens=False)["input_ids"] for answer in answers]
    longest = max(map(len, ids))
    pad = tokenizer.eos_token_id
    responses = torch.tensor([each + [pad] * (longest - len(each)) for each in ids])
    mask = torch.tensor([[1] * 4 + [1] * len(each) + [0] * (longest - len(each)) for each in ids])
    prompts = torch.full((len(ids), 4), 5)
    tensors = {
        "prompts": prompts,
        "responses": responses,
        "input_ids": torch.cat([prompts, responses], 1),
        "attention_mask": mask,
    }
    named = {name: np.array(list(batch[name]), dtype=object) for name in ("data_source", "reward_model", "extra_info")}
    return DataProto.from_dict(tensors=tensors, non_tensors=named)


async def rewarded(worker: Any, batch: DataProto) -> list[dict[str, Any]]:
    scored: list[dict[str, Any]] = await worker.compute_score_batch(batch)
    return scored


def main(folder: str, url: str) -> None:
    config = composed(folder, f"prbgen.reward_url={url}")
    composed(
        folder,
        "trainer.n_gpus_per_node=8",
        "actor_rollout_ref.actor.use_dynamic_bsz=false",
        "actor_rollout_ref.actor.use_kl_loss=true",
    )
    algorithm_config = type(omega_conf_to_dataclass(config.algorithm)).__name__
    critic_config = type(omega_conf_to_dataclass(config.critic)).__name__
    tokenizer = hf_tokenizer(config.actor_rollout_ref.model.path)
    train, validation = (rows(config, tokenizer, each) for each in (config.data.train_files, config.data.val_files))

    cloudpickle.loads(cloudpickle.dumps(get_custom_reward_fn(config)))
    worker = RewardLoopWorker(config)
    answers = ["One.", "Two, and some more.", "Three"]
    batch = answered(train, tokenizer, answers)
    found = worker.loop.run_until_complete(rewarded(worker, batch))
    again = pickle.loads(cloudpickle.dumps(get_custom_reward_fn(config)))
    extra = dict(train[0]["extra_info"])
    alone = asyncio.run(again("prbgen", answers[0], extra["key"], extra))
    scores = worker.reward_manager.assemble_rm_scores(batch, [each["reward_score"] for each in found])

    config.reward.custom_reward_function.reward_kwargs.patience = 1
    config.reward.custom_reward_function.reward_kwargs.url = "http://127.0.0.1:1/score"
    try:
        gone = RewardLoopWorker(config)
        gone.loop.run_until_complete(rewarded(gone, answered(train, tokenizer, answers)))
        failure = None
    except Exception as error:
        failure = [type(error).__name__, str(error)]
    print(
        json.dumps(
            {
                "configs": [algorithm_config, critic_config],
                "train": len(train),
                "validation": len(validation),
                "prompts": [train[at]["raw_prompt"] for at in range(len(answers))],
                "found": found,
                "alone": alone,
                "at_last_token": scores.sum(-1).tolist(),
                "failure": failure,
                "settings": {
                    "batch": config.data.train_batch_size,
                    "actor_lr": config.actor_rollout_ref.actor.optim.lr,
                    "critic_lr": config.critic.optim.lr,
                    "epochs": config.trainer.total_epochs,
                    "prompt": config.data.max_prompt_length,
                    "response": config.actor_rollout_ref.rollout.response_length,
                    "critic": need_critic(config),
                },
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
