"""`prbgen estimate`: what it prints, and that it needs neither key nor network nor run."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main
from prbgen.llm.ledger import Ledger

ROW: dict[str, Any] = {"question": "Which film?", "profile": [], "narrative": None, "category": None}
ASPECTS = [{"aspect": "Is short", "evidence": "short", "reason": "Time."}]
MODEL = '{ name = "openai/gpt-4o-mini", max_tokens = 400 }'


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def no_network(*_: Any) -> None:
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    rows = [ROW | {"id": f"0_{n}_0", "question": f"Which film for evening {n}?"} for n in range(4)]
    rows = [row | {"rubric_aspects": ASPECTS if n else None} for n, row in enumerate(rows)]
    (tmp_path / "films_test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return write(tmp_path, MODEL)


def write(folder: Path, model: str, more: str = "") -> Path:
    recipe = folder / "recipe.toml"
    recipe.write_text(f'[source]\npath = "films_test.jsonl"\n[models]\nanswer = {model}\n{more}')
    return recipe


def document(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["estimate", *words, "--json"]) == 0
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed


def test_an_estimate_has_calls_tokens_and_usd_by_stage_and_in_total(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = document([str(recipe)], capsys)
    assert (result["questions"], result["rejected"], result["recorded"], result["run"]) == (3, {"rubric": 1}, 0, None)
    (stage,) = result["stages"]
    assert (stage["stage"], stage["model"]) == ("answer", "openai/gpt-4o-mini")
    assert stage["calls"] == {"low": 6, "high": 9, "at_most": 18}
    assert stage["basis"]["tokenizer"] == "o200k_base"
    for name in ("calls", "prompt_tokens", "reply_tokens", "cost_usd"):
        figures = result["total"][name]
        assert figures == stage[name]
        assert 0 < figures["low"] < figures["high"] < figures["at_most"]
    cost = stage["prompt_tokens"]["high"] * 0.15e-6 + stage["reply_tokens"]["high"] * 0.6e-6
    assert result["total"]["cost_usd"]["high"] == pytest.approx(cost, rel=0.01)
    assert sorted(file.name for file in recipe.parent.iterdir()) == ["films_test.jsonl", "recipe.toml"]


def test_the_table_names_what_it_rests_on(
    recipe: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert main(["estimate", str(recipe)]) == 0
    out = capsys.readouterr().out
    assert "3 questions; 1 rejected (rubric)" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["answer", "openai/gpt-4o-mini", "6", "-", "9"] in [row[:5] for row in rows]
    assert ["in", "total", "6", "-", "9"] in [row[:5] for row in rows]
    assert ["at", "most", "18"] in [row[:3] for row in rows]
    assert "assumed (0.6 to 1.4 of a usual one)" in out


def test_an_unknown_price_is_null_and_unknown(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(recipe.parent, '"hosted_vllm/mine"')
    result = document([str(recipe)], capsys)
    assert result["total"]["cost_usd"] == {"low": None, "high": None, "at_most": None}
    assert main(["estimate", str(recipe)]) == 0
    out = capsys.readouterr().out
    assert "unknown" in out
    assert "the price of hosted_vllm/mine is unknown" in out


def test_a_batch_is_half_the_price(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, half = document([str(recipe)], capsys), document([str(recipe), "--batch"], capsys)
    assert half["batch"]
    assert half["total"]["calls"] == whole["total"]["calls"]
    assert half["total"]["cost_usd"]["high"] == pytest.approx(whole["total"]["cost_usd"]["high"] / 2, rel=0.02)


def test_a_budget_below_the_estimate_is_mentioned(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(recipe.parent, MODEL, "[limits]\nbudget_usd = 0.0001\n")
    assert "budget_usd = 0.0001" in " ".join(document([str(recipe)], capsys)["remarks"])


def test_the_flags_say_which_questions(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert document([str(recipe), "--limit", "2"], capsys)["questions"] == 1
    assert document([str(recipe), "--ids", "0_1_0,0_2_0"], capsys)["questions"] == 2
    assert document([str(recipe), "--subset", "films"], capsys)["questions"] == 3
    assert main(["estimate", str(recipe), "--ids", ","]) == 2
    assert "--ids names no question" in capsys.readouterr().err


def test_the_ledger_of_the_run_counts_and_is_left_alone(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = recipe.parent / "runs" / "recipe"
    run.mkdir(parents=True)
    Ledger(run / "ledger.sqlite").close()
    before = (run / "ledger.sqlite").read_bytes()
    assert document([str(recipe)], capsys)["run"] == str(run)
    assert document([str(recipe), "--run", str(recipe.parent / "none")], capsys)["run"] is None
    assert (run / "ledger.sqlite").read_bytes() == before
    assert not [file for file in run.iterdir() if not file.name.startswith("ledger.sqlite")]
    (run / "ledger.sqlite").write_text("dear diary, " * 100)
    assert main(["estimate", str(recipe)]) == 2
    assert "not a ledger, or damaged" in capsys.readouterr().err
