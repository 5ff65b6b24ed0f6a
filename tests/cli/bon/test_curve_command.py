"""`prbgen bon curve` from answers to a table."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from prbgen.cli.bon import curve
from prbgen.downstream.facts import Curves
from tests.downstream.best_of_n.scored_answers import Drawn, changed, write_scores


def run(*words: str | Path) -> int:
    parser = argparse.ArgumentParser()
    curve.add_arguments(parser)
    return curve.run(parser.parse_args(list(map(str, words))))


def test_the_table_has_each_k_the_interval_and_the_recovered_headroom(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    answers = Drawn().write(tmp_path / "bon")
    assert run("pairs.jsonl", "--candidates", answers.folder) == 0
    shown = capsys.readouterr().out
    curves = Curves.model_validate_json(answers.judged("judge").curve.read_bytes())
    for name in ("good", "poor"):
        row = next(line for line in shown.splitlines() if f"scalar:org/{name} (none)" in line)
        points = curves.models[name].points
        for point in points:
            assert f"{point.quality.value:.3f}" in row
        assert points[-1].quality.ci95 is not None
        assert f"[{points[-1].quality.ci95[0]:.3f}, {points[-1].quality.ci95[1]:.3f}]" in row
        assert f"{points[-1].recovered.value:.3f}" in row
    assert shown.index("org/good") < shown.index("org/poor") < shown.index("random choice") < shown.index("oracle")
    assert "curve.svg" in shown


def test_json_is_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = Drawn().write(tmp_path / "bon")
    assert run("pairs.jsonl", "--candidates", answers.folder, "--json") == 0
    assert json.loads(capsys.readouterr().out) == json.loads(answers.judged("judge").curve.read_text())


def test_scores_that_are_not_complete_are_left_out_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = Drawn().write(tmp_path / "bon")
    answers.scored("poor").scores.unlink()
    assert run("pairs.jsonl", "--candidates", answers.folder) == 1
    said = capsys.readouterr()
    assert f"{answers.scored('poor').folder}: left out" in said.err.replace("\n", "")
    assert "org/poor" not in said.out


def test_stale_scores_are_left_out_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = Drawn().write(tmp_path / "bon")
    changed(answers.scored("poor").about, answers="2")
    assert run("pairs.jsonl", "--candidates", answers.folder) == 1
    assert "or of other answers than there are now; run `prbgen bon score` again" in capsys.readouterr().err


def test_a_model_without_a_single_score_falls_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = Drawn().write(tmp_path / "bon")
    write_scores(answers, "failed", [[None] * 4] * 30)
    assert run("pairs.jsonl", "--candidates", answers.folder) == 1
    assert "30 questions have no answer with both a score and a quality" in capsys.readouterr().out
