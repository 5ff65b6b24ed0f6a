"""Results of reward models, read for the card of a dataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.publication.facts import Result
from prbgen.publication.results import read_results

SUMMARY: dict[str, Any] = {
    "scorer": "scalar:org/rm",
    "condition": "none",
    "config": "all",
    "split": "test",
    "n": 10,
    "unscored": 3,
    "accuracy": {"value": 0.5, "ci95": [0.2, 0.8]},
}


def written(path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps(SUMMARY | changes))
    return path


def folder(path: Path, *lines: str) -> Path:
    path.mkdir()
    written(path / "summary.json")
    (path / "items.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return path


def test_the_summary_tells_how_many_pairs_were_scored(tmp_path: Path) -> None:
    file = written(tmp_path / "none.json", items=[{"pair_id": "a", "outcome": "win"}, {"pair_id": "b"}])
    assert read_results(file, {"a", "b", "c"}) == Result(
        "scalar:org/rm", "none", 0.5, (0.2, 0.8), scored=7, unscored=3, config="all", split="test"
    )


def test_what_a_summary_does_not_say_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(
        json.dumps({"scorer": "s", "condition": "none", "n": 10, "accuracy": {"value": None}})
    )
    assert read_results(tmp_path / "s.json", ()) == Result("s", "none", None, None, None, None, None, None)


def test_results_in_a_file_about_other_pairs_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "none.json", items=[{"pair_id": "a"}, {"pair_id": "x"}])
    with pytest.raises(InputError, match=r"none\.json: results on another dataset: 1 of its 2 pairs .* as 'x'"):
        read_results(file, {"a"})


def test_results_in_a_folder_about_other_pairs_are_refused(tmp_path: Path) -> None:
    results = folder(tmp_path / "none", '{"pair_id": "a"}', '{"pair_id": "x"}')
    assert read_results(results, {"a", "x"}).scored == 7
    with pytest.raises(InputError, match="results on another dataset: 1 of its 2 pairs"):
        read_results(results, {"a"})


def test_items_without_a_pair_id_cannot_be_checked_and_are_taken(tmp_path: Path) -> None:
    file = written(tmp_path / "none.json", items=[{"id": "1", "pair_id": None}, {"id": "2"}])
    assert read_results(file, ()).scored == 7


def test_a_line_that_is_about_no_pair_is_named(tmp_path: Path) -> None:
    results = folder(tmp_path / "none", '{"pair_id": "a"}', '{"pair_id": 1}')
    with pytest.raises(InputError, match=r"items\.jsonl: line 2 is not about a pair \(pair_id"):
        read_results(results, {"a"})


@pytest.mark.parametrize("changes", [{"unscored": 11}, {"n": -1}, {"accuracy": None}, {"items": [1]}])
def test_what_cannot_be_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"none\.json: not a summary of results") as caught:
        read_results(written(tmp_path / "none.json", **changes), ())
    assert "\n" not in str(caught.value)
