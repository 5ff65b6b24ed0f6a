"""`prbgen status`: what is done, what failed and why, tokens, money."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main

ROWS = [
    {"id": f"0_{n}_0", "question": f"Which film for evening {n}?", "profile": [], "narrative": None, "category": None,
     "rubric_aspects": [{"aspect": "Is short", "evidence": "short", "reason": "Time."}] if n else None}
    for n in range(3)
]  # fmt: skip
RULES = [
    {
        "stage": "answer",
        "match": "evening 1",
        "reply": "{digest} or {digest} or {digest}.",
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        "cost_usd": 0.5,
    },
    {
        "stage": "answer",
        "reply": "{digest} or {digest} or {digest}.",
        "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6},
    },
]


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    (tmp_path / "films_test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "model.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in RULES))
    (tmp_path / "recipe.toml").write_text(
        '[source]\npath = "films_test.jsonl"\n[models]\nanswer = "scripted/model.jsonl"\n'
    )
    assert main(["generate", str(tmp_path / "recipe.toml")]) == 1
    return tmp_path / "runs" / "recipe"


def status(run: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["status", str(run), "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_status_counts_pairs_rejects_tokens_and_money(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = status(finished, capsys)
    assert (report["pairs"], report["rejected"], report["finished"]) == (2, 1, True)
    assert report["reasons"] == [{"stage": "rubric", "reason": "the row has neither rubric nor narrative", "count": 1}]
    (spent,) = report["spent"]
    assert (spent["replies"], spent["prompt_tokens"], spent["completion_tokens"]) == (4, 24, 8)
    assert (spent["cost_usd"], spent["unpriced"]) == (1.0, 2)


def test_status_has_pass_rates_by_check_model_strategy_and_subset(
    finished: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = finished.parent.parent / "recipe.toml"
    recipe.write_text(recipe.read_text() + '[pair]\nstrategy = "generic"\nattempts = 2\n')
    # Of the other strategy one side talks about its making, at every attempt.
    rules = [{"match": "evening 2", "reply": "As an AI, {digest}."}, *RULES]
    (recipe.parent / "model.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in rules))
    main(["generate", str(recipe), "--ids", "0_2_0"])
    report = status(finished, capsys)
    attempts = {
        each["strategy"]: (each["attempts"], each["passed"], each["undecided"], each["rate"])
        for each in report["attempts"]
    }
    # Answers of digits are in no language that could be told.
    assert attempts == {"avoid": (2, 0, 2, None), "generic": (2, 0, 0, 0.0)}
    rates = {
        (each["strategy"], each["generator"], each["subset"], each["side"]): each["rate"]
        for each in report["checks"]
        if each["check"] == "talk"
    }
    assert {key[:3] for key in rates} == {
        ("avoid", "scripted/model.jsonl", "default"),
        ("generic", "scripted/model.jsonl", "default"),
    }
    assert {key[0]: rate for key, rate in rates.items() if key[3] == "rejected"} == {"avoid": 1.0, "generic": 0.0}
    (over_all,) = [each for each in report["checks_in_all"] if (each["check"], each["side"]) == ("talk", "rejected")]
    assert (over_all["passed"], over_all["failed"], over_all["unknown"], over_all["rate"]) == (2, 2, 0, 0.5)
    monkeypatch.setenv("COLUMNS", "160")
    assert main(["status", str(finished)]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["talk", "rejected", "100.0%", "0.0%"] in shown


def test_status_does_not_guess_an_unknown_price(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(finished)]) == 0
    assert "1.0000 USD and 2 calls of unknown price" in capsys.readouterr().out


def test_status_counts_nothing_twice_after_a_rerun(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = status(finished, capsys)
    main(["generate", str(finished.parent.parent / "recipe.toml")])
    assert status(finished, capsys) == before
