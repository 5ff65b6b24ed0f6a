"""A policy learns what it is rewarded for, the same for the same seed, and what it has learned is never lost."""

from __future__ import annotations

import gc
import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from prbgen.downstream.ppo.train.course import DivergedError
from prbgen.downstream.ppo.train.settings import Algorithm
from prbgen.downstream.ppo.training import Step
from prbgen.errors import InterruptError, PrbgenError
from prbgen.run import read_records
from tests.downstream.ppo.train.jobs import job, train, weights
from tests.downstream.ppo.train.tiny_policies import QUESTIONS, Letters, save_policy
from tests.processes import start_python

BOTH: list[Algorithm] = ["ppo", "grpo"]
SLOW = """
import gc, sys, time, torch
from pathlib import Path
from tests.downstream.ppo.train.jobs import job, train
from tests.downstream.ppo.train.tiny_policies import Letters
torch.set_num_threads(1)
gc.freeze()
class Slow(Letters):
    def __call__(self, prompts, answers):
        time.sleep(0.5 * (len(self.asked) > 1))
        return super().__call__(prompts, answers)
policy, out, algorithm = sys.argv[1:]
train(job(Path(policy), Path(out), Slow(), algorithm=algorithm, steps=4, save_every=2))
"""


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sums come out the same only if they are summed in the same order."""
    import torch

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    # TRL collects garbage after each step: only what it makes, or most of the time would go there.
    gc.freeze()
    yield
    gc.unfreeze()
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_policy(tmp_path_factory.mktemp("policy") / "model")


def steps_of(out: Path) -> list[Step]:
    return list(read_records(out / "log.jsonl", Step))


@pytest.fixture(scope="module")
def whole(policy: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Algorithm, Path]:
    """Trainings of four steps that nothing interrupts."""
    import torch

    torch.set_num_threads(1)
    gc.freeze()
    outs = {algorithm: tmp_path_factory.mktemp(algorithm) / "out" for algorithm in BOTH}
    for algorithm, out in outs.items():
        train(job(policy, out, Letters(), algorithm=algorithm, steps=4))
    return outs


@pytest.mark.parametrize(("algorithm", "steps"), [("ppo", 16), ("grpo", 16)])
def test_the_mean_reward_rises(algorithm: Algorithm, steps: int, policy: Path, tmp_path: Path) -> None:
    train(job(policy, tmp_path, Letters(), algorithm=algorithm, steps=steps, batch=32, micro_batch=32, lr=5e-3, kl=0.0))
    rewards = [step.reward for step in steps_of(tmp_path)]
    assert len(rewards) == steps
    assert sum(rewards[-4:]) / 4 > sum(rewards[:4]) / 4 + 0.1


@pytest.mark.parametrize("algorithm", BOTH)
def test_another_seed_gives_another_policy(
    algorithm: Algorithm, policy: Path, whole: dict[Algorithm, Path], tmp_path: Path
) -> None:
    """That the same one gives the same shows below: also where training was interrupted."""
    train(job(policy, tmp_path, Letters(), algorithm=algorithm, steps=4, seed=1))
    assert weights(tmp_path) != weights(whole[algorithm])


@pytest.mark.parametrize("algorithm", BOTH)
def test_rewards_are_asked_for_whole_prompts_and_what_was_written(
    algorithm: Algorithm, policy: Path, tmp_path: Path
) -> None:
    reward, parts = Letters(), {"mini_batches": 2} if algorithm == "ppo" else {}
    train(job(policy, tmp_path, reward, algorithm=algorithm, steps=2, micro_batch=8, **parts))
    prompts = [prompt for asked, _ in reward.asked for prompt in asked]
    answers = [answer for _, written in reward.asked for answer in written]
    assert len(prompts) == 2 * 16
    assert set(prompts) <= {*QUESTIONS}
    assert not any("<|" in answer or "assistant" in answer for answer in answers)
    if algorithm == "grpo":
        assert all(prompts[place] == prompts[place - place % 8] for place in range(32))
    else:
        assert sorted(prompts) == sorted(QUESTIONS * 4)


@pytest.mark.parametrize("algorithm", BOTH)
def test_a_reward_that_fails_stops_training_and_the_same_command_goes_on_to_the_same_policy(
    algorithm: Algorithm, policy: Path, whole: dict[Algorithm, Path], tmp_path: Path
) -> None:
    with pytest.raises(PrbgenError, match=r"no rewards for 10 min; the policy after step 2 is in .*/policy"):
        train(job(policy, tmp_path, Letters(fails_at=3), algorithm=algorithm, steps=4))
    learned = weights(tmp_path)
    train(job(policy, tmp_path, Letters(), algorithm=algorithm, steps=4))
    assert weights(tmp_path) == weights(whole[algorithm]) != learned
    assert [step.reward for step in steps_of(tmp_path)] == [step.reward for step in steps_of(whole[algorithm])]


@pytest.mark.parametrize("algorithm", BOTH)
def test_a_killed_training_goes_on_to_the_same_policy(
    algorithm: Algorithm, policy: Path, whole: dict[Algorithm, Path], tmp_path: Path
) -> None:
    process = start_python(SLOW, str(policy), str(tmp_path), algorithm, OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1")
    log = tmp_path / "log.jsonl"
    while not log.exists() or len(log.read_bytes().splitlines()) < 3:
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "policy").exists()
    reward = Letters()
    train(job(policy, tmp_path, reward, algorithm=algorithm, steps=4))
    assert len(reward.asked) == 2  # of steps 3 and 4: the last checkpoint is that of step 2
    assert weights(tmp_path) == weights(whole[algorithm])
    assert [step.step for step in steps_of(tmp_path)] == [*range(1, 5)]


@pytest.mark.parametrize("algorithm", BOTH)
def test_stopping_ends_after_the_step_under_way(algorithm: Algorithm, policy: Path, tmp_path: Path) -> None:
    stopped = job(policy, tmp_path, Letters(), algorithm=algorithm, steps=6)
    reward = stopped.reward

    def stopping(prompts: Sequence[str], answers: Sequence[str]) -> list[float]:
        stopped.course.stop.set()
        return reward(prompts, answers)

    object.__setattr__(stopped, "reward", stopping)
    with pytest.raises(InterruptError, match="interrupted; the policy after step 1 is in"):
        train(stopped)
    assert len(steps_of(tmp_path)) == 1
    assert (tmp_path / "policy" / "model.safetensors").exists()


def test_a_training_that_diverges_keeps_no_broken_policy(policy: Path, tmp_path: Path) -> None:
    with pytest.raises(DivergedError, match="training diverged"):
        train(job(policy, tmp_path, Letters(), steps=3, lr=1e37, save_every=1))
    assert not (tmp_path / "policy").exists()
    assert not [*tmp_path.glob("checkpoints/*.pt")]


def test_a_trained_policy_is_loaded_by_transformers_alone(whole: dict[Algorithm, Path]) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = whole["ppo"] / "policy"
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    turns = [{"role": "user", "content": "Hello?"}]
    inputs = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    written = AutoModelForCausalLM.from_pretrained(folder).generate(**inputs, max_new_tokens=3)
    assert written.shape[1] > inputs["input_ids"].shape[1]
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["Qwen2ForCausalLM"]
    assert not [path.name for path in whole["ppo"].iterdir() if "partial" in path.name]


@pytest.mark.parametrize("algorithm", BOTH)
def test_a_policy_without_a_token_for_padding_is_trained_too(algorithm: Algorithm, tmp_path: Path) -> None:
    policy = save_policy(tmp_path / "no-pad", pad=False)
    train(job(policy, tmp_path / "out", Letters(), algorithm=algorithm, steps=2, kl=0.1))
    assert all(step.kl is None or abs(step.kl) < 1 for step in steps_of(tmp_path / "out"))
    assert (tmp_path / "out" / "policy" / "config.json").is_file()
