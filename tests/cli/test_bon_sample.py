"""`prbgen bon sample`: what it writes, what it says, and how it ends."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli.bon import sample
from prbgen.downstream.facts import Sampling
from prbgen.errors import InputError


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def policy(*rules: dict[str, Any]) -> str:
    Path("policy.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in rules))
    return "scripted/policy.jsonl"


def run(*flags: str) -> int:
    parser = argparse.ArgumentParser()
    sample.add_arguments(parser)
    return sample.run(parser.parse_args(["samples", "--limit", "3", *flags]))


def test_candidates_go_to_a_folder_named_after_data_policy_and_condition(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--policy", policy({"reply": "{digest}"}), "--n", "4", "--condition", "profile") == 0
    folder = Path("results/samples/bon-scripted-policy.jsonl-profile")
    sampling = Sampling.model_validate_json((folder / "sampling.json").read_bytes())
    assert (sampling.questions, sampling.n, sampling.candidates, sampling.condition) == (3, 4, 12, "profile")
    said = capsys.readouterr().out
    assert "wrote 12 candidates (4 a question) to 3 questions of samples, split test, condition profile" in said
    assert "3 calls" in said
    assert str(folder) in said


def test_missing_candidates_are_told_with_an_example_and_end_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    fault = {"fault": {"kind": "bad_request", "message": "not today"}, "times": 2}
    flags = ("--policy", policy(fault, {"reply": "Cut o", "finish": "length"}), "--n", "2", "--concurrency", "1")
    assert run(*flags) == 1
    said = capsys.readouterr().out
    assert "2 candidates are missing" in said
    assert "2 x: the call failed: no reply (bad request): not today" in said
    assert "4 candidates are cut off at --max-tokens" in said


def test_json_is_sampling_json_alone(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--temperature", "0.7", "--top-p", "0.8", "--max-tokens", "99", "--policy-option", "top_k=40")
    assert run("--policy", policy({"reply": "Tea."}), "--n", "1", "--json", "--out", "here", *flags) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(Path("here/sampling.json").read_text())
    wanted = {"temperature": 0.7, "top_p": 0.8, "max_tokens": 99, "top_k": 40}
    assert wanted.items() <= printed["settings"].items()


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--policy", "hosted_vllm/tea", "--policy-option", "n=4"), 'cannot set "n"'),
        (("--policy", "hosted_vllm/tea", "--policy-api-base", "there"), "--policy: api_base is no address"),
        (("--policy", "hosted_vllm/tea", "--n", "129"), "--n 129: should be from 1 to 128"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(flags: tuple[str, ...], told: str) -> None:
    with pytest.raises(InputError) as error:
        run(*flags)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert not Path("results").exists() or not any(Path("results/samples").iterdir())
