"""The published evaluation script as a user has it, a staged dataset, and tiny reward models made on the spot."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from prbgen.publication.stage import stage
from prbgen.resources import resource
from prbgen.schema import Pair
from tests.data_cards.tiny import TEMPLATE, save_classifier
from tests.publication.reports import build_validation

SCRIPT = resource("data_cards") / "evaluate.py"


@dataclass(frozen=True)
class Done:
    """What a run of the script left: exit code, stderr, the result (null where it wrote none)."""

    code: int
    said: str
    result: Any


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The script as a module, to look at what it renders; a copy, so that no bytecode lands among what is shipped."""
    copy = shutil.copy(SCRIPT, tmp_path_factory.mktemp("script"))
    spec = importlib.util.spec_from_file_location("published_evaluate", copy)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def publish(tmp_path: Path) -> Callable[..., Path]:
    """Stages pairs, all of them validated unless told otherwise; the script lies beside the data."""

    def published(pairs: Iterable[Pair], *, validated: bool = True) -> Path:
        pairs = list(pairs)
        path = tmp_path / "pairs.jsonl"
        path.write_text("".join(pair.model_dump_json() + "\n" for pair in pairs), encoding="utf-8")
        folder = tmp_path / "dataset"
        stage(path, folder, validation=build_validation(pairs, pairs) if validated else None)
        return folder

    return published


@pytest.fixture
def evaluate(tmp_path: Path) -> Callable[..., Done]:
    """Runs a published script in a process that cannot import prbgen, in an empty folder, without the Hub."""
    empty = tmp_path / "elsewhere"
    empty.mkdir()

    def run(folder: Path, *words: str | Path) -> Done:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
        env |= {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
        env |= {"OPENAI_API_KEY": "sk-never-shown"}
        command = [sys.executable, "-I", str(folder / "evaluate.py"), *map(str, words)]
        done = subprocess.run(command, cwd=empty, env=env, capture_output=True, text=True, timeout=300)
        assert "sk-never-shown" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return Done(done.returncode, done.stderr, json.loads(done.stdout) if done.stdout else None)

    return run


@pytest.fixture(scope="session")
def reward_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One logit, a chat template that begins with the BOS token, as Llama's do, and no pad token."""
    return save_classifier(tmp_path_factory.mktemp("reward") / "model", labels=1, template=TEMPLATE)


@pytest.fixture
def command(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs the script's `main` in this process, which is quicker: exit code, stdout, stderr."""
    import datasets
    import huggingface_hub

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hf" / "datasets")
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["evaluate.py", *words])
        capsys.readouterr()
        try:
            code = script.main()
        except SystemExit as leaving:
            code = leaving.code
        return code, *capsys.readouterr()

    return run
