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
        "reply": "A cartoon.",
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        "cost_usd": 0.5,
    },
    {"stage": "answer", "reply": "A play.", "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}},
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


def test_status_does_not_guess_an_unknown_price(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(finished)]) == 0
    assert "1.0000 USD and 2 calls of unknown price" in capsys.readouterr().out


def test_status_counts_nothing_twice_after_a_rerun(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = status(finished, capsys)
    main(["generate", str(finished.parent.parent / "recipe.toml")])
    assert status(finished, capsys) == before
