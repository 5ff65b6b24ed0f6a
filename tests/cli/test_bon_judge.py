"""`prbgen bon judge` as a command."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli.bon import judge
from prbgen.errors import InputError
from prbgen.llm.ledger import Ledger
from prbgen.resources import resource
from tests.downstream.best_of_n.judging_bench import Bench, bench, covering

GOOD = {"reply": covering(2, 1)}


def run(made: Bench, model: str, *words: str) -> int:
    parser = argparse.ArgumentParser()
    judge.add_arguments(parser)
    candidates = ("--candidates", str(made.answers.folder))
    return judge.run(parser.parse_args([str(made.data), "--judge", model, *candidates, *words]))


def test_it_estimates_on_stderr_judges_and_shows_the_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    made = bench(tmp_path)
    assert run(made, made.scripted(GOOD)) == 0
    out, err = capsys.readouterr()
    assert "To ask scripted/judge.jsonl: 12 - 15 calls, " in err
    assert "USD, at most unknown (0 replies are on record)" in err
    for shown in ("0.750", "12 candidates are judged by scripted/judge.jsonl, 0 stay unjudged", "12 calls"):
        assert shown in out
    folder = made.answers.judged("scripted-judge.jsonl")
    assert folder.judgements.is_file()
    assert folder.about.is_file()
    assert str(folder.folder) in out
    assert run(made, f"scripted/{made.script}") == 0
    assert "Nothing to ask: 12 replies are on record" in capsys.readouterr().err
    assert len(made.calls) == 12


def test_json_is_what_judging_json_holds_and_unjudged_candidates_are_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = bench(tmp_path)
    assert run(made, made.scripted({"match": "Answer 1 to 2", "reply": "?"}, GOOD), "--json") == 1
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (document["judged"], document["unjudged"]) == (11, 1)
    assert document == json.loads(made.answers.judged("scripted-judge.jsonl").about.read_text())


def test_an_estimate_sends_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = bench(tmp_path)
    judge_model = made.scripted(GOOD)
    options = ("--judge-option", "input_cost_per_token=0.001", "--judge-option", "output_cost_per_token=0.001")
    assert run(made, judge_model, "--estimate", *options, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["candidates"], document["answers"], document["recorded"]) == (12, 12, 0)
    assert document["forecast"]["calls"] == {"low": 12, "high": 15, "at_most": 24}
    assert document["forecast"]["cost_usd"]["low"] > 0
    assert run(made, judge_model, "--estimate") == 0
    shown = capsys.readouterr().out
    assert "12 candidates for 4 questions, 12 to judge; 0 replies are on record" in shown
    assert "at most" in shown
    assert not made.calls
    assert not made.answers.judged("scripted-judge.jsonl").folder.exists()


@pytest.mark.parametrize(
    ("policy", "warned"), [("hosted_vllm/Qwen/Qwen2.5-0.5B-Instruct", True), ("openai/gpt-4o", False)]
)
def test_a_judge_of_the_family_of_the_policy_is_told(
    policy: str, warned: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = bench(tmp_path)
    Bench(tmp_path, made.rows, made.texts, policy=policy)
    run(made, "hosted_vllm/Qwen/Qwen2.5-32B-Instruct", "--estimate")
    err = " ".join(capsys.readouterr().err.split())
    assert ("a model of its own family: judges favour their own" in err) == warned


def test_flags_reach_the_model(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=1, n=1)
    prices = ("--judge-option", "input_cost_per_token=1", "--judge-option", "output_cost_per_token=1")
    with pytest.raises(InputError, match=r"budget_usd = 0\.5 is below one call"):
        run(made, made.scripted(GOOD), "--budget-usd", "0.5", *prices)
    assert not made.calls
    own = tmp_path / "prompts"
    own.mkdir()
    shipped = (resource("prompts") / "judge_coverage.j2").read_text()
    (own / "judge_coverage.j2").write_text(shipped.replace("The question:", "WHAT WAS ASKED:"))
    assert run(made, f"scripted/{made.script}", "--prompts", str(own)) == 0
    assert "WHAT WAS ASKED:" in made.calls[0]["text"]
    with Ledger(made.answers.judged("scripted-judge.jsonl").ledger, read_only=True) as ledger:
        assert ledger.query("SELECT stage, item FROM attempts") == [("coverage", "Art_and_Entertainment/q0")]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--timeout", "-1"], "--timeout: Input should be greater than 0"),
        (["--judge-api-base", "localhost"], "--judge .*: api_base is no address"),
        (["--judge-option", "max_token=5"], 'unknown key "max_token"; did you mean "max_tokens"'),
        (["--judge-option", "api_key=abc"], "would be written into the run"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_one_line(words: list[str], told: str, tmp_path: Path) -> None:
    made = bench(tmp_path)
    with pytest.raises(InputError, match=told):
        run(made, made.scripted(GOOD), *words)


def test_an_option_without_a_value_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = bench(tmp_path)
    for bad in ("temperature", "=1", "rpm=5"):
        with pytest.raises(SystemExit):
            run(made, "scripted/x", "--judge-option", bad)
