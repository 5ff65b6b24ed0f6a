"""TRL's own trainer with our reward function and our file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from prbgen.downstream.ppo.rewards import reward
from prbgen.downstream.ppo.rewards.reward import prbgen_reward
from prbgen.reward_protocol import RewardRequest
from tests.downstream.ppo.prepare.prepared import policy, prepared, rows, write
from tests.evaluation.asking_rows import pair_row
from tests.evaluation.scorers.reward_servers import listening


async def test_grpo_trains_on_the_prepared_file_with_rewards_of_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy(tmp_path / "tok")
    write(tmp_path / "data.jsonl", *(pair_row(number) for number in range(8)))
    write(tmp_path / "bench.jsonl", pair_row(100))
    prepared(tmp_path, condition="profile", posts=2)
    asked: list[RewardRequest] = []

    async def score(request: web.Request) -> web.Response:
        asked.append(RewardRequest.model_validate_json(await request.text()))
        return web.json_response({"scores": [float(at) for at in range(len(asked[-1].inputs))]})

    async with listening(score=score) as url:
        monkeypatch.setenv(reward.URL, f"{url}/score")
        logged = await asyncio.to_thread(one_step, tmp_path)
    prompts = {row["extra_info"]["prompt"] for row in rows(tmp_path, "train")}
    assert len(asked) == 2
    assert all(len(each.inputs) == 2 for each in asked)
    assert {each.inputs[0].prompt for each in asked} <= prompts
    assert logged["rewards/prbgen_reward/mean"] == 0.5


def one_step(place: Path) -> dict[str, Any]:
    """A step of GRPO: two prompts, two answers each. What it logs."""
    import torch
    from datasets import load_dataset
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    torch.set_num_threads(1)
    file = str(place / "out" / "train.parquet")
    data = load_dataset("parquet", data_files=file, split="train", cache_dir=str(place / "cache"))
    tokenizer = AutoTokenizer.from_pretrained(place / "tok")
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(place / "tok"))  # type: ignore[no-untyped-call]
    settings = GRPOConfig(
        output_dir=str(place / "trained"),
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        report_to="none",
        per_device_train_batch_size=4,
        num_generations=2,
        max_completion_length=4,
        max_steps=1,
        logging_steps=1,
        save_strategy="no",
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(model, prbgen_reward, settings, train_dataset=data, processing_class=tokenizer)
    trainer.train()
    return next(each for each in trainer.state.log_history if "reward" in each)
