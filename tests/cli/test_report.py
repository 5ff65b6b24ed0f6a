"""`prbgen report`: from folders of results to a page, Markdown, LaTeX and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prbgen.cli import main
from tests.evaluation.results_samples import MODELS, Model, Sample, write_pairs, write_results


def test_a_report_is_written_and_shown(in_tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_pairs(in_tmp_path / "pairs.jsonl", pairs=60)
    write_results(in_tmp_path / "results", Sample(MODELS[:3], pairs=60, data=str(data)))
    assert main(["report", "results"]) == 0
    # How lines are broken depends on the terminal.
    shown = " ".join(capsys.readouterr().out.split())
    assert sorted(each.name for each in (in_tmp_path / "report").iterdir()) == [
        "report.html",
        "report.md",
        "report.tex",
    ]
    assert "report/report.html, report/report.md, report/report.tex" in shown
    assert "60 pairs of 30 users" in shown
    assert "upper" in shown
    assert "What does the person's own history add over a stranger's? Of 3 models," in shown
    assert "How do I keep basil alive" in (in_tmp_path / "report" / "report.html").read_text()


def test_the_document_holds_what_the_page_shows(in_tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_results(in_tmp_path / "results", Sample(MODELS[:3], ["profile", "shuffled"], pairs=60))
    data = write_pairs(in_tmp_path / "elsewhere.jsonl", pairs=60)
    assert main(["report", "results/0-profile", "results", "--out", "there", "--data", str(data), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (only,) = document["sets"]
    assert document["files"][0] == "there/report.html"
    # A result that is named twice counts once.
    assert [len(only["leaderboards"][name]) for name in ("profile", "shuffled")] == [3, 3]
    assert only["contrasts"][0]["models"][0].keys() >= {"label", "value", "paired", "p_holm", "apart"}
    assert only["leaderboards"]["profile"][0]["summary"]["accuracy"]["value"] > 0.5
    assert only["leaderboards"]["profile"][0].keys() >= {"mark", "rank", "group", "best", "reason"}
    assert all(pair["text"]["question"] for pair in only["disagreements"]["pairs"])


def test_results_without_any_scored_pair_fall_short(in_tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_results(in_tmp_path / "results", Sample((Model("judge:x/y", 0.5, fails=1.0),), ["none"], pairs=5))
    assert main(["report", "results"]) == 1
    assert "no pair scored" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "there is no such folder"),
        (["empty"], "no results in it"),
        (["results", "--data", "gone.jsonl"], "gone.jsonl"),
        (["results", "--out", "file"], "cannot be the folder of a report"),
    ],
)
def test_wrong_input_is_one_clear_line(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    (in_tmp_path / "empty").mkdir()
    (in_tmp_path / "file").touch()
    write_results(in_tmp_path / "results", Sample(MODELS[:2], ["none"], pairs=20))
    assert main(["report", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("prbgen: ")
    assert error.count("\n") == 1
    assert not (in_tmp_path / "report").exists()


def test_a_summary_that_does_not_fit_its_items_is_refused(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder,) = write_results(in_tmp_path / "results", Sample(MODELS[:1], ["none"], pairs=5))
    items = (folder / "items.jsonl").read_text().splitlines(keepends=True)
    (folder / "items.jsonl").write_text("".join(items[1:]))
    assert main(["report", "results"]) == 2
    assert "5 pairs in summary.json, 4 in items.jsonl" in capsys.readouterr().err


def test_a_summary_of_another_tool_is_no_result(in_tmp_path: Path) -> None:
    write_results(in_tmp_path / "results", Sample(MODELS[:1], ["none"], pairs=5))
    (in_tmp_path / "results" / "model").mkdir()
    (in_tmp_path / "results" / "model" / "summary.json").write_text("{}")
    assert main(["report", "results"]) == 0
