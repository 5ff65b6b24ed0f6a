"""`prbgen correlate`: from results on both sides to a table, JSON and a plot."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from prbgen.cli import correlate
from prbgen.errors import PrbgenError
from prbgen.registry import COEFFICIENTS
from tests.downstream.correlate.side_samples import write_best_of_n
from tests.evaluation.results_samples import MODELS, Sample, write_results

SKILLS = {model.scorer: model.skill for model in MODELS[:6]}


def run(*words: str) -> int:
    parser = argparse.ArgumentParser(description=correlate.__doc__)
    correlate.add_arguments(parser)
    return correlate.run(parser.parse_args(words))


def write(path: str, scores: object) -> str:
    Path(path).write_text(json.dumps(scores))
    return path


def test_an_evaluation_and_best_of_n_become_a_table_json_and_a_plot(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_results(in_tmp_path / "results", Sample(MODELS[:6], ("profile",), pairs=60))
    write_best_of_n(in_tmp_path / "results" / "bon", SKILLS)
    assert run("--benchmark", "results", "--downstream", "results", "--k", "2") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "./pairs.jsonl, profile -> best of 2 by openai/policy, data/pairs, scored under profile" in shown
    assert "Spearman" in shown
    assert "rank-biased overlap" in shown
    assert "Intervals resample the users of both sides together." in shown
    assert "correlation/correlation.json, correlation/correlation.svg" in shown
    document = json.loads((in_tmp_path / "correlation" / "correlation.json").read_text())
    assert document["sentence"] in shown.replace("\n", " ")
    assert (document["n_models"], document["resampled"], document["p_method"]) == (6, "both", "exact")
    ElementTree.fromstring((in_tmp_path / "correlation" / "correlation.svg").read_text())
    assert sorted(each.name for each in (in_tmp_path / "correlation").iterdir()) == [
        "correlation.json",
        "correlation.svg",
    ]


def test_json_is_the_document_of_the_file_and_the_same_each_time(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = write("one.json", {"a": 1, "b": 2, "c": 3}), write("other.json", {"a": 1, "b": 3, "c": 2})
    bytes_of = []
    for out in ("x", "y"):
        assert run("--benchmark", one, "--downstream", other, "--json", "--out", out) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed == json.loads(Path(out, "correlation.json").read_text())
        bytes_of.append([file.read_bytes() for file in sorted(Path(out).iterdir())])
    assert bytes_of[0] == bytes_of[1]
    for name in COEFFICIENTS:
        assert printed[name].keys() >= {"value", "ci95", "p", "chance"}
        assert printed[name]["ci95"] is None
    # Too few to conclude is an answer.
    assert printed["conclusive"] is False
    assert "too few" in printed["sentence"]


def test_several_benchmarks_are_told_apart(in_tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"m{n}" for n in range(5)]
    files = [
        write(f"{at}.json", dict(zip(names, values, strict=True)))
        for at, values in enumerate(([1, 2, 3, 4, 5], [5, 3, 4, 1, 2], [1, 3, 2, 4, 5]))
    ]
    assert run("--benchmark", *files[:2], "--downstream", files[2]) == 0
    assert "1.json rather than 0.json -> 2.json" in capsys.readouterr().out
    document = json.loads(Path("correlation/correlation.json").read_text())
    assert len(document["comparisons"]) == 2
    spearman = next(each for each in document["differences"] if each["metric"] == "spearman")
    assert spearman["value"] == pytest.approx(-1.8)
    assert spearman["p"] == spearman["p_holm"]


def test_common_compares_what_both_have_and_says_what_is_left_out(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = write("one.json", {"a": 1, "b": 2, "c": 3}), write("other.json", {"a": 1, "b": 3, "d": 2})
    with pytest.raises(PrbgenError, match=r"only in one.json: c; only in other.json: d; --common compares the 2"):
        run("--benchmark", one, "--downstream", other)
    assert not Path("correlation").exists()
    assert run("--benchmark", one, "--downstream", other, "--common") == 0
    shown = capsys.readouterr().out
    assert "Left out, as only one.json has them: c" in shown
    assert "Left out, as only other.json has them: d" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--benchmark", "gone", "--downstream", "ok.json"], "there is no such folder"),
        (["--benchmark", "ok.json", "--downstream", "one.json"], "1 model; a ranking takes two"),
        (["--benchmark", "ok.json", "--downstream", "nan.json"], "not a finite number"),
        (["--benchmark", "ok.json", "--downstream", "ok.json", "--k", "2"], "--k says nothing here"),
        (["--benchmark", "ok.json", "--downstream", "ok.json", "--out", "ok.json"], "cannot be the folder"),
        (["--benchmark", "ok.json", "--downstream", "bon", "--k", "8"], "has k = 1, 2, 4"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(in_tmp_path: Path, words: list[str], said: str) -> None:
    write("ok.json", {"a": 1, "b": 2})
    write("one.json", {"a": 1})
    write("nan.json", {"a": float("nan"), "b": 1})
    write_best_of_n(in_tmp_path / "bon", {"a": 0.1, "b": 0.2})
    with pytest.raises(PrbgenError) as caught:
        run(*words)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2
    assert not Path("correlation").exists()


def test_constant_scores_are_shown_as_unknown(in_tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = write("one.json", {"a": 1, "b": 1}), write("other.json", {"a": 1, "b": 3})
    assert run("--benchmark", one, "--downstream", other) == 0
    assert "Nothing can be concluded: all models have the same score on one.json." in capsys.readouterr().out
