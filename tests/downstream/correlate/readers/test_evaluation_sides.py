"""Results of evaluations as benchmarks."""

from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.downstream.correlate.readers.evaluations import has_evaluations, read_evaluations
from prbgen.downstream.correlate.side import told_apart
from prbgen.errors import InputError
from prbgen.evaluation.results import found_results
from tests.evaluation.results_samples import MODELS, Model, Sample, write_results


def test_each_condition_of_the_same_pairs_is_a_benchmark(tmp_path: Path) -> None:
    write_results(tmp_path / "one", Sample(MODELS[:3], ("none", "profile"), pairs=40, data="data/x"))
    write_results(tmp_path / "two", Sample(MODELS[:3], ("none",), pairs=40, data="data/y", digest="d2"))
    sides = read_evaluations([tmp_path])
    assert [side.label for side in sides] == ["data/x, none", "data/x, profile", "data/y, none"]
    assert {side.models for side in sides} == {tuple(sorted(model.scorer for model in MODELS[:3]))}


def test_scores_are_the_accuracies_of_the_summaries_ties_and_unscored_pairs_included(tmp_path: Path) -> None:
    write_results(tmp_path, Sample(MODELS[3:7], ("profile",), pairs=80))
    (side,) = read_evaluations([tmp_path])
    expected = {each.summary().scorer: each.summary() for each in found_results([tmp_path])}
    assert sum(summary.unscored for summary in expected.values())
    assert sum(summary.ties for summary in expected.values())
    for model, score, count in zip(side.models, side.scores, side.items.counts.sum(axis=0), strict=True):  # type: ignore[union-attr]
        assert score == pytest.approx(expected[model].accuracy.value)
        assert count == expected[model].accuracy.n


def test_benchmarks_of_the_same_name_are_told_apart_by_what_differs(tmp_path: Path) -> None:
    write_results(tmp_path / "a", Sample(MODELS[:2], ("none",), pairs=20))
    write_results(tmp_path / "b", Sample(MODELS[:2], ("none",), pairs=20, change={"posts": 3}))
    write_results(tmp_path / "c", Sample(MODELS[:2], ("none",), pairs=30, digest="other"))
    labels = [side.label for side in told_apart(read_evaluations([tmp_path]))]
    assert labels == [
        "./pairs.jsonl, none (10 posts, pairs d1-20)",
        "./pairs.jsonl, none (3 posts, pairs d1-20)",
        "./pairs.jsonl, none (10 posts, pairs other-30)",
    ]


def test_two_results_of_a_model_in_one_benchmark_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_results(tmp_path / name, Sample(MODELS[:1], ("none",), pairs=10))
    with pytest.raises(InputError, match=r"0-none and .*0-none: both are of scalar:Skywork.* under none, on the same"):
        read_evaluations([tmp_path])
    # The same folder named twice is one.
    assert len(read_evaluations([tmp_path / "a", tmp_path / "a" / "0-none"])) == 1


def test_a_model_of_which_no_pair_is_scored_is_named(tmp_path: Path) -> None:
    models = (Model("judge:x/broken", 0.5, fails=1.0), MODELS[0])
    write_results(tmp_path, Sample(models, ("none",), pairs=10))
    with pytest.raises(InputError, match="nothing of judge:x/broken is scored"):
        read_evaluations([tmp_path])


def test_items_that_are_cut_off_are_noticed(tmp_path: Path) -> None:
    (folder,) = write_results(tmp_path, Sample(MODELS[:1], ("none",), pairs=10))
    lines = (folder / "items.jsonl").read_text().splitlines(keepends=True)
    (folder / "items.jsonl").write_text("".join(lines[:7]))
    with pytest.raises(InputError, match=r"10 pairs in summary.json, 7 in items.jsonl"):
        read_evaluations([tmp_path])


def test_a_folder_without_results_has_none(tmp_path: Path) -> None:
    (tmp_path / "summary.txt").touch()
    assert not has_evaluations(tmp_path)
    write_results(tmp_path / "below", Sample(MODELS[:1], ("none",), pairs=5))
    assert has_evaluations(tmp_path)
    assert has_evaluations(tmp_path / "below" / "0-none")
