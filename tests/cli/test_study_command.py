"""`prbgen study`: all of it for a list of reward models, in one report."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main
from prbgen.downstream.study.settings import read_study
from prbgen.downstream.study.tiny_models import make_reward_model
from tests.cli.test_bon import here, models
from tests.cli.test_bon import printed as printed_by

__all__ = ["here", "models"]


@pytest.fixture
def study(here: Path, models: dict[str, str]) -> Path:
    """Two tiny classifiers and a rater on eight pairs."""
    tiny = [make_reward_model(here / f"tiny-{seed}", seed) for seed in (1, 2)]
    text = f"""
conditions = ["none", "profile"]
[data]
path = "pairs.jsonl"
[[models]]
scorer = "scalar:{tiny[0].name}"
[[models]]
scorer = "scalar:{tiny[1].name}"
[[models]]
scorer = "rate:scripted/good.jsonl"
[best_of_n]
policy = "scripted/policy.jsonl"
judge = "scripted/judge.jsonl"
n = 4
"""
    path = here / "my.toml"
    path.write_text(text)
    return path


def printed(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    return printed_by(capsys, "study", *words, code=code)


def test_a_study_has_leaderboards_curves_correlations_and_what_it_takes_to_repeat_it(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = printed(capsys, "my.toml", "--out", "my")
    (boards,) = [each["leaderboards"] for each in document["evaluations"]["sets"]]
    assert {condition: len(rows) for condition, rows in boards.items()} == {"none": 3, "profile": 3}
    assert len(document["best_of_n"]["models"]) == 3
    comparisons = document["correlations"]["comparisons"]
    assert [each["n_models"] for each in comparisons] == [3, 3]
    assert document["correlations"]["differences"]
    assert document["failed"] == {}
    assert document["versions"]["prbgen"]
    page = Path("my/study.html").read_text()
    assert document == json.loads(Path("my/study.json").read_text())
    for heading in ("Leaderboards", "Best-of-N", "Does the benchmark predict it?", "All that is needed to repeat this"):
        assert heading in page
    assert page.count("data:image/svg+xml;base64,") == 2
    assert comparisons[0]["sentence"][:60] in page.replace("&#39;", "'")
    assert re.search(r"<pre>[^<]*scalar:tiny-1", page)
    assert Path("my/report/report.tex").is_file()


def test_the_same_again_asks_nothing_and_gives_the_same_bytes(
    study: Path, capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    assert main(["study", "my.toml", "--out", "my"]) == 0
    files = ("study.html", "study.json", "resolved.toml", "correlation/correlation.json", "correlation/correlation.svg")
    before = [Path("my", name).read_bytes() for name in files]
    asked = sum(len(path.read_text().splitlines()) for path in here.glob("*-calls.jsonl"))
    assert main(["study", "my.toml", "--out", "my"]) == 0
    assert [Path("my", name).read_bytes() for name in files] == before
    assert sum(len(path.read_text().splitlines()) for path in here.glob("*-calls.jsonl")) == asked


def test_the_settings_that_it_leaves_are_a_study_of_the_same(study: Path, here: Path) -> None:
    assert main(["study", "my.toml", "--out", "my"]) == 0
    again = read_study(here / "my" / "resolved.toml")
    assert again.model_dump() == read_study(study).model_dump()


def test_a_model_that_fails_is_left_out_and_told_and_the_others_go_on(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study.write_text(study.read_text() + '[[models]]\nscorer = "scalar:nowhere"\n')
    document = printed(capsys, "my.toml", "--out", "my", code=1)
    assert set(document["failed"]) == {"scalar:nowhere, none", "scalar:nowhere, profile", "Best-of-N, scalar:nowhere"}
    assert all("nowhere" in why for why in document["failed"].values())
    assert [each["n_models"] for each in document["correlations"]["comparisons"]] == [3, 3]


def test_without_best_of_n_and_ppo_there_is_no_correlation_and_it_says_why(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study.write_text(study.read_text().partition("[best_of_n]")[0])
    document = printed(capsys, "my.toml", "--out", "my")
    assert document["best_of_n"] is document["correlations"] is None
    assert document["uncorrelated"] == "there are no results of Best-of-N or PPO to compare with"
    assert "there are no results of Best-of-N or PPO" in Path("my/study.html").read_text()


def test_what_to_study_has_to_be_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study"]) == 2
    assert "name a STUDY.toml, or say --demo" in capsys.readouterr().err
    assert main(["study", "none.toml"]) == 2
    assert "`prbgen init DIR` writes one" in capsys.readouterr().err
