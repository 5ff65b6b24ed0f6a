"""A staged dataset opens with what people have, row by row the same: no prbgen, and often no `datasets` either."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from prbgen.llm.transports.weights import cache_folder
from prbgen.publication.features import COLUMNS
from prbgen.publication.stage import stage
from prbgen.schema import Pair

Write = Callable[[Iterable[Pair]], Path]
Load = Callable[..., Any]
Rows = list[dict[str, Any]]

# The last `datasets` before the list type was written another way, with libraries of its day.
DATASETS_3 = ("datasets==3.6.0", "pyarrow==20.0.0", "pandas==2.3.3", "numpy==2.2.6", "dill==0.3.8", "fsspec==2025.3.0")


@pytest.fixture
def staged(varied_pairs: list[Pair], write_pairs: Write) -> Path:
    path = write_pairs(varied_pairs)
    return stage(path, path.parent / "dataset").folder


@pytest.fixture
def files(varied_pairs: list[Pair], staged: Path) -> dict[Path, Rows]:
    """What each Parquet file holds, as plain values."""
    rows: dict[Path, Rows] = {}
    for pair in varied_pairs:
        path = staged / "data" / pair.provenance.subset / f"{pair.provenance.split}_unvalidated.parquet"
        rows.setdefault(path, []).append({column: pair.model_dump(mode="json")[column] for column in COLUMNS})
    return rows


def test_pandas_reads_every_file(files: dict[Path, Rows]) -> None:
    import pandas as pd

    def plain(value: Any) -> Any:
        return [plain(each) for each in value] if hasattr(value, "tolist") else None if value is pd.NA else value

    for path, rows in files.items():
        frame = pd.read_parquet(path).astype(object)
        frame = frame.where(frame.notna(), None)
        found = [{name: plain(value) for name, value in row.items()} for row in frame.to_dict("records")]
        assert found == rows


def test_polars_reads_every_file_and_all_at_once(files: dict[Path, Rows], staged: Path) -> None:
    import polars as pl

    for path, rows in files.items():
        assert pl.read_parquet(path).to_dicts() == rows
    together = pl.scan_parquet(staged / "data" / "*" / "*.parquet").collect()
    assert set(together["pair_id"]) == {row["pair_id"] for rows in files.values() for row in rows}


def test_duckdb_reads_every_file_and_all_at_once(files: dict[Path, Rows], staged: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        for path, rows in files.items():
            found = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [column[0] for column in found.description]
            assert [dict(zip(names, row, strict=True)) for row in found.fetchall()] == rows
        together = "SELECT pair_id FROM read_parquet(?)"
        all_at_once = connection.execute(together, [str(staged / "data" / "*" / "*.parquet")]).fetchall()
    assert sorted(pair_id for (pair_id,) in all_at_once) == sorted(
        row["pair_id"] for rows in files.values() for row in rows
    )


def test_streaming_gives_the_same_rows(files: dict[Path, Rows], staged: Path, load: Load) -> None:
    for path, rows in files.items():
        streamed = load(staged, path.parent.name, split=path.stem, streaming=True)
        assert list(streamed) == rows
        assert load(staged, path.parent.name, split=path.stem).to_list() == rows


def test_a_reward_model_can_be_trained_on_it(staged: Path, load: Load, tmp_path: Path) -> None:
    import torch
    from transformers import AutoTokenizer
    from trl import RewardConfig, RewardTrainer

    from tests.data_cards.tiny import TEMPLATE, save_classifier

    rows = load(staged, split="test_unvalidated")

    def conversation(row: dict[str, Any]) -> dict[str, Any]:
        return {
            "prompt": [{"role": "user", "content": row["question"]}],
            "chosen": [{"role": "assistant", "content": row["chosen"]}],
            "rejected": [{"role": "assistant", "content": row["rejected"]}],
        }

    preferences = rows.map(
        conversation, remove_columns=[name for name in rows.column_names if name not in ("chosen", "rejected")]
    )
    model = save_classifier(tmp_path / "model", labels=1, template=TEMPLATE)
    settings = RewardConfig(
        output_dir=str(tmp_path / "trained"),
        max_steps=1,
        per_device_train_batch_size=len(rows),
        learning_rate=1e-2,
        use_cpu=True,
        bf16=False,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
    )
    words = AutoTokenizer.from_pretrained(model, pad_token="<|im_end|>")
    trainer = RewardTrainer(model=str(model), args=settings, train_dataset=preferences, processing_class=words)
    before = trainer.model.score.weight.detach().clone()
    assert trainer.train().training_loss > 0
    assert not torch.equal(before, trainer.model.score.weight)
    assert len(trainer.train_dataset) == len(rows)


@pytest.fixture(scope="session")
def datasets_3() -> Path:
    """The Python of an environment with `datasets` 3.6, made once and kept in the user's cache.

    PRBGEN_TEST_DATASETS3 names a ready one.
    """
    if ready := os.environ.get("PRBGEN_TEST_DATASETS3"):
        return Path(ready)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = cache_folder() / f"test-datasets-3.6-python-{version}"
    python, finished = folder / "bin" / "python", folder / "finished"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not finished.exists() or finished.read_text() != "\n".join(DATASETS_3):
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True, timeout=300)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--only-binary=:all:", *DATASETS_3]
            done = subprocess.run(pip, capture_output=True, text=True, timeout=900)
            if done.returncode and "NewConnectionError" in done.stderr:
                pytest.skip("no package index can be reached")
            assert done.returncode == 0, done.stderr
            finished.write_text("\n".join(DATASETS_3))
    return python


LOAD_ALL = """
import datasets, json, sys
folder, found = sys.argv[1], {}
for config in datasets.get_dataset_config_names(folder):
    for split, rows in datasets.load_dataset(folder, config).items():
        lists = {name: type(feature).__name__ for name, feature in rows.features.items()}
        found[config + "/" + split] = {"features": lists, "rows": rows.to_list()}
print(json.dumps({"version": datasets.__version__, "found": found}))
"""


def test_datasets_3_reads_every_config(
    files: dict[Path, Rows], staged: Path, datasets_3: Path, tmp_path: Path, varied_pairs: list[Pair]
) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= {"HF_HOME": str(tmp_path / "hf3"), "HF_HUB_OFFLINE": "1"}
    command = [str(datasets_3), "-I", "-c", LOAD_ALL, str(staged)]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    assert read["version"].startswith("3.6.")
    for path, rows in files.items():
        assert read["found"][f"{path.parent.name}/{path.stem}"]["rows"] == rows
    everything = [row for name, part in read["found"].items() if name.startswith("all/") for row in part["rows"]]
    assert {row["pair_id"] for row in everything} == {pair.pair_id for pair in varied_pairs}
    for name, part in read["found"].items():
        if name.partition("/")[0] in {"all", *(path.parent.name for path in files)}:
            nested = {column for column, kind in part["features"].items() if kind != "Value"}
            assert list(part["features"]) == list(COLUMNS)
            assert nested == {"profile", "rubric_aspects"}
