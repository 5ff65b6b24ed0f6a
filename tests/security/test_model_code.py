"""Models and checkpoints that bring code: in a pickle, or as Python beside the weights. None of it runs unasked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch

from prbgen.downstream.best_of_n.on_this_machine.loading import load_policy
from prbgen.downstream.best_of_n.policy import SamplingSettings
from prbgen.downstream.ppo.train.models import load_policy as load_training_policy
from prbgen.downstream.ppo.train.models import load_tokenizer
from prbgen.downstream.ppo.train.saving import Checkpoint
from prbgen.errors import InputError
from prbgen.evaluation.scorers.scalar.loading import load
from prbgen.evaluation.settings import DataSettings, ScorerSettings
from prbgen.model_settings import ModelSettings
from prbgen.resources import resource
from tests.evaluation.scorers.scalar.tiny_classifiers import save

torch.set_num_threads(1)


class Evil:
    """Makes a folder when it is unpickled."""

    def __init__(self, ran: Path) -> None:
        self._ran = ran

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self._ran),)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return save(tmp_path / "model", "qwen2")


def pickled(model: Path, ran: Path) -> None:
    """Weights in the old format that hold code."""
    for file in model.glob("*.safetensors*"):
        file.unlink()
    torch.save({"score.weight": Evil(ran)}, model / "pytorch_model.bin")


def with_code(model: Path, ran: Path, *files: str) -> None:
    """Has files of the model name classes in its own code, which tells when it is imported."""
    (model / "evil.py").write_text(f"import os\nos.mkdir({str(ran)!r})\n")
    kinds = {"AutoConfig": "evil.C", "AutoModelForSequenceClassification": "evil.M", "AutoModelForCausalLM": "evil.M"}
    maps = {"config.json": kinds, "tokenizer_config.json": {"AutoTokenizer": ["evil.T", None]}}
    for name in files:
        said = json.loads((model / name).read_text())
        said |= {"auto_map": maps[name], "model_type": "evil", "tokenizer_class": "EvilTokenizer"}
        (model / name).write_text(json.dumps(said))


def test_a_pickle_for_weights_is_not_run(model: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    pickled(model, ran)
    with pytest.raises(InputError) as raised:
        load(ScorerSettings("scalar", str(model)))
    assert "\n" not in str(raised.value)
    assert not ran.exists()


def test_a_model_with_code_of_its_own_is_refused_and_says_how_to_trust_it(model: Path, tmp_path: Path) -> None:
    with_code(model, tmp_path / "ran", "config.json", "tokenizer_config.json")
    with pytest.raises(InputError, match="comes with code of its own, which is not run; if you trust it"):
        load(ScorerSettings("scalar", str(model)))
    for policy in (lambda: load_policy_there(model), lambda: load_training_policy(str(model), None, "cpu")):
        with pytest.raises(InputError, match="comes with code of its own"):
            policy()
    assert not (tmp_path / "ran").exists()


def test_a_tokenizer_runs_no_code_of_its_own(model: Path, tmp_path: Path) -> None:
    with_code(model, tmp_path / "ran", "tokenizer_config.json")
    for loaded in (lambda: load(ScorerSettings("scalar", str(model))), lambda: load_tokenizer(str(model))):
        with suppress(InputError):  # or transformers has one of its own for this kind of model
            loaded()
    assert not (tmp_path / "ran").exists()


def load_policy_there(model: Path) -> object:
    return load_policy(SamplingSettings(DataSettings("none"), ModelSettings(name=f"hf:{model}")))


def test_the_published_script_runs_no_code_of_a_model(model: Path, tmp_path: Path) -> None:
    with_code(model, tmp_path / "ran", "config.json", "tokenizer_config.json")
    script = shutil.copy(resource("data_cards") / "evaluate.py", tmp_path)
    (tmp_path / "data").mkdir()
    row = {"question": "q", "chosen": "a", "rejected": "b", "profile": [], "user_key": "u"}
    (tmp_path / "data" / "test.jsonl").write_text(json.dumps(row) + "\n")
    words = [sys.executable, script, str(tmp_path / "data"), "--scorer", f"scalar:{model}", "--condition", "none"]
    settings = {**os.environ, "HF_HOME": str(tmp_path / "hub"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=settings, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "if you trust it, say --trust-remote-code" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_pickle_for_a_checkpoint_is_not_run(tmp_path: Path) -> None:
    torch.save({"step": Evil(tmp_path / "ran")}, tmp_path / "checkpoint.pt")
    with pytest.raises(InputError, match="is damaged"):
        Checkpoint(tmp_path / "checkpoint.pt")
    assert not (tmp_path / "ran").exists()
