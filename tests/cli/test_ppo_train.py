"""`prbgen ppo train` as a whole: from a prepared folder and a reward model to a policy."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main
from prbgen.cli.ppo import train as command
from prbgen.errors import InputError
from tests.data_cards.tiny import TEMPLATE, save_classifier
from tests.downstream.ppo.prepare.prepared import write
from tests.downstream.ppo.train.tiny_policies import QUESTIONS, save_policy, write_prepared
from tests.evaluation.asking_rows import pair_row


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("ppo")
    return {
        "policy": save_policy(folder / "model"),
        "reward": save_classifier(folder / "reward", labels=1, template=TEMPLATE),
        "prepared": write_prepared(folder / "prepared"),
    }


def run(places: dict[str, Path], out: Path, *words: str, scorer: str = "", prepared: Path | None = None) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    named = ["--policy", str(places["policy"]), "--scorer", scorer or f"scalar:{places['reward']}"]
    quick = ["--device", "cpu", "--batch", "8", "--response-tokens", "6", "--lr", "1e-3", "--out", str(out)]
    if "--algorithm" not in words:
        quick += ["--algorithm", "ppo"]
    return command.run(parser.parse_args([str(prepared or places["prepared"]), *named, *quick, *words]))


@pytest.mark.parametrize("algorithm", ["ppo", "grpo"])
def test_a_policy_and_all_that_is_known_of_its_training_are_left(
    algorithm: str, places: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(places, out, "--algorithm", algorithm, "--steps", "2", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert json.loads((out / "training.json").read_text()) == shown
    assert shown["reward_model"] == f"scalar:{places['reward']}"
    assert (shown["algorithm"], shown["steps"], shown["prompts"]) == (algorithm, 2, len(QUESTIONS))
    assert {"trl", "torch", "transformers", "prbgen"} <= set(shown["versions"])
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert [line["reward"] for line in lines] == shown["rewards"]
    assert (out / "reward.svg").read_text().startswith("<svg ")
    files = {path.name for path in out.iterdir()} - {".lock", "begun.json"}
    assert files == {"training.json", "log.jsonl", "reward.svg", "policy"}
    before = (out / "policy" / "model.safetensors").stat().st_mtime_ns
    assert run(places, out, "--algorithm", algorithm, "--steps", "2", "--json") == 0
    assert json.loads(capsys.readouterr().out) == shown
    assert (out / "policy" / "model.safetensors").stat().st_mtime_ns == before
    with pytest.raises(InputError, match=r"holds another training \(seed 0, not 5\)"):
        run(places, out, "--algorithm", algorithm, "--steps", "2", "--seed", "5")


def test_an_epoch_asks_every_prompt_once(places: dict[str, Path], tmp_path: Path) -> None:
    from prbgen.downstream.ppo.train.settings import TrainSettings
    from prbgen.evaluation.settings import ScorerSettings

    given: dict[str, Any] = {"scorer": ScorerSettings("scalar", "m"), "batch": 128}
    ppo = TrainSettings(tmp_path, "p", out=tmp_path, **given)
    grpo = TrainSettings(tmp_path, "p", out=tmp_path, algorithm="grpo", **given)
    assert [ppo.steps_for(count) for count in (1, 128, 129)] == [1, 1, 2]
    assert [grpo.steps_for(count) for count in (16, 17)] == [1, 2]
    assert (ppo.lr, ppo.critic_lr, ppo.epochs, ppo.response_tokens, ppo.prompt_tokens) == (5e-7, 5e-6, 1, 512, 8192)


@pytest.mark.parametrize(
    ("words", "scorer", "told"),
    [
        ((), "judge:gpt", "compares two answers"),
        (("--scorer-device", "cpu"), "http:http://localhost:1", "says nothing to a http scorer"),
        (("--prompt-tokens", "5"), "", "8 of 8 prompts have more than 5 tokens"),
        (("--value-model", "/no/model"), "", "no such folder"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(
    words: tuple[str, ...], scorer: str, told: str, places: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=told) as error:
        run(places, tmp_path / "out", *words, scorer=scorer)
    assert "\n" not in str(error.value)


def test_settings_that_failed_before_anything_was_learned_may_be_mended(
    places: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with pytest.raises(InputError, match="have more than 5 tokens"):
        run(places, out, "--steps", "1", "--prompt-tokens", "5")
    assert run(places, out, "--steps", "1") == 0
    assert not (out / "checkpoints").exists()


def test_a_folder_that_was_not_prepared_is_refused(places: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ppo prepare"):
        run(places, tmp_path / "out", prepared=tmp_path)
    assert not (tmp_path / "out").exists()
    empty = write_prepared(tmp_path / "empty", ["", "Which?"])
    with pytest.raises(InputError, match="row 1: `prompt` should be one message of a user"):
        run(places, tmp_path / "out", prepared=empty)


def test_what_prepare_writes_is_trained_on_with_a_smaller_reward_model_and_the_policy_answers(
    in_tmp_path: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    save_policy(Path("model"), positions=2048)
    save_classifier(Path("reward"), labels=1, template=TEMPLATE, positions=1000)
    write(Path("bench.jsonl"), pair_row(1))
    benchmark = ("--benchmark", "bench.jsonl", "--policy", "model", "--max-prompt-tokens", "1600", "--validation", "1")
    assert main(["ppo", "prepare", "samples", *benchmark, "--out", "data"]) == 0
    quick = ("--device", "cpu", "--batch", "4", "--steps", "1", "--response-tokens", "6", "--algorithm", "ppo")
    assert main(["ppo", "train", "data", "--policy", "model", "--scorer", "scalar:reward", *quick, "--out", "out"]) == 0
    assert "4 answers were scored with fewer posts than the policy was shown" in capsys.readouterr().out
    assert json.loads(Path("out/training.json").read_text())["shortened"] == 4
    asked = ("--limit", "1", "--max-tokens", "6", "--max-prompt-tokens", "1600")
    write(Path("judge.jsonl"), {"reply": {"aspects": [{"number": 1, "found": "so", "score": 2}]}})
    judge = ("--judge", "scripted/judge.jsonl")
    assert main(["ppo", "answer", "bench.jsonl", "--policy", "hf:out/policy", *asked, *judge, "--out", "answers"]) == 0
    sampling = json.loads(Path("answers/sampling.json").read_text())
    assert (sampling["reward_model"], sampling["candidates"]) == ("scalar:reward", 1)
