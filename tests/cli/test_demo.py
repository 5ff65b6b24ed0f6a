"""`prbgen demo`, on the real embedded model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from datasets import load_dataset

from prbgen.cli import main
from prbgen.run import Run, read_records
from prbgen.schema import SUBSETS, Pair


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "run"
    assert main(["demo", "--out", str(folder)]) == 0
    return folder


def test_every_question_of_the_demo_gets_a_pair_of_two_different_answers(demo: Path) -> None:
    pairs = list(read_records(Run(demo).pairs, Pair))
    assert len(pairs) == 6
    assert {pair.provenance.subset for pair in pairs} == set(SUBSETS)
    assert all(pair.chosen.strip() and pair.rejected.strip() and pair.chosen != pair.rejected for pair in pairs)
    assert sum(pair.provenance.own_posts_dropped for pair in pairs) == 3
    # Some people ask twice.
    assert len({pair.user_key for pair in pairs}) < len(pairs)


def test_its_dataset_loads_by_default_and_by_subset(demo: Path, tmp_path: Path) -> None:
    pairs = list(read_records(Run(demo).pairs, Pair))
    everything = load_dataset(str(demo / "dataset"), cache_dir=str(tmp_path))
    assert everything["test_unvalidated"]["pair_id"] == [pair.pair_id for pair in pairs]
    art = load_dataset(
        str(demo / "dataset"), "Art_and_Entertainment", split="test_unvalidated", cache_dir=str(tmp_path)
    )
    assert art["chosen"] == [pair.chosen for pair in pairs if pair.provenance.subset == "Art_and_Entertainment"]


def test_a_second_demo_sends_no_call_and_leaves_the_same_pairs(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Run(demo).pairs.read_bytes()
    assert main(["demo", "--out", str(demo), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["calls"]["sent"] == 0
    assert Run(demo).pairs.read_bytes() == before


def test_its_card_says_that_the_text_is_no_dataset(demo: Path) -> None:
    assert "no dataset" in " ".join((demo / "dataset" / "README.md").read_text().split())
