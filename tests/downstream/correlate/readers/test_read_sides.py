"""What lies at a place, and which of it a side takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prbgen.downstream.correlate.readers.read import read_sides, refuse_idle_k
from prbgen.downstream.correlate.side import Side, told_apart
from prbgen.errors import InputError
from tests.downstream.correlate.side_samples import write_best_of_n, write_policy
from tests.evaluation.results_samples import MODELS, Sample, write_results


def test_one_folder_with_all_of_it_is_read_by_role(tmp_path: Path) -> None:
    names = [model.scorer for model in MODELS[:2]]
    write_results(tmp_path / "evaluations", Sample(MODELS[:2], ("none",), pairs=10))
    write_best_of_n(tmp_path / "bon", dict.fromkeys(names, 0.1))
    for at, name in enumerate(names):
        write_policy(tmp_path / f"ppo-{at}", name, 0.3)
    assert [side.kind for side in read_sides([tmp_path], "benchmark")] == ["evaluation"]
    assert [side.kind for side in read_sides([tmp_path], "downstream")] == ["best_of_n", "policies"]
    assert [side.kind for side in read_sides([tmp_path / "evaluations"], "downstream")] == ["evaluation"]
    assert [side.kind for side in read_sides([tmp_path / "bon"], "benchmark")] == ["best_of_n"]


def test_several_places_are_read_once_each(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"x": 1, "y": 2}))
    folder = write_best_of_n(tmp_path / "bon", {"x": 0.1, "y": 0.2})
    places = [file, folder, tmp_path / "bon", file]
    assert [side.kind for side in read_sides(places, "downstream")] == ["scores", "best_of_n"]


def test_places_with_nothing_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no results in it; `prbgen evaluate`"):
        read_sides([tmp_path], "benchmark")
    with pytest.raises(InputError, match="gone: there is no such folder of results, or file of scores"):
        read_sides([tmp_path / "gone"], "downstream")


def test_k_without_best_of_n_is_refused() -> None:
    side = Side.of_scores("a", {"x": 1, "y": 2})
    refuse_idle_k(None, [side])
    with pytest.raises(InputError, match="--k says nothing here"):
        refuse_idle_k(4, [side])


def test_sides_of_another_kind_but_the_same_label_are_told_apart_by_their_places() -> None:
    one = Side.of_scores("a", {"x": 1, "y": 2}, "here")
    other = Side.of_items("a", "policies", "quality", {"x": {"u": (1.0, 1)}}, aspects=("z",), place="there")
    assert [each.label for each in told_apart([one, other])] == ["a (here)", "a (there)"]
    assert [each.label for each in told_apart([one])] == ["a"]
