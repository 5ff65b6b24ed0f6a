"""What is wrong with a model is said in one line; nothing is ever scored by random weights."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.evaluation.scorers.scalar import loading
from prbgen.evaluation.scorers.scalar.faults import one_line_errors
from prbgen.evaluation.scorers.scalar.identity import fingerprint
from prbgen.evaluation.settings import ScorerSettings
from tests.data_cards.tiny import save_language_model
from tests.evaluation.scorers.scalar.tiny_classifiers import load, save, settings


def test_a_language_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lacks the weights that score an answer \(score.weight\)"):
        load(save_language_model(tmp_path / "lm"))


def test_more_than_two_labels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has 3 labels; a reward model has one, or two"):
        load(save(tmp_path / "llama", "llama", labels=3))


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    folder = save(tmp_path / "llama", "llama", labels=2)
    config = json.loads((folder / "config.json").read_text())
    config |= {"id2label": {"0": "reward"}, "label2id": {"reward": 0}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError) as caught:
        load(folder)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder holds no model that transformers can load"):
        load(tmp_path / "empty")


def test_a_damaged_model_is_refused_in_one_line(tmp_path: Path) -> None:
    folder = save(tmp_path / "llama", "llama")
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(InputError) as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def test_a_template_that_takes_no_answer_is_refused(tmp_path: Path) -> None:
    template = "{% for message in messages %}{{ raise_exception('users alone') }}{% endfor %}"
    with pytest.raises(InputError, match=r"its chat template cannot take .*users alone"):
        load(save(tmp_path / "llama", "llama", template=template))


def test_a_device_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--device xpu: torch .* finds no such device here"):
        load(save(tmp_path / "llama", "llama"), device="xpu")


@pytest.mark.parametrize(
    ("offline", "said"), [("1", "HF_HUB_OFFLINE forbids to fetch it"), ("0", "the Hub at http://127.0.0.1:9 cannot be")]
)
def test_a_model_that_cannot_be_fetched_is_said_in_one_line(tmp_path: Path, offline: str, said: str) -> None:
    """In a process of its own: the Hub's client reads the environment when it is imported."""
    code = (
        "from prbgen.errors import InputError\n"
        "from prbgen.evaluation.scorers.scalar.classifier import Classifier\n"
        "from prbgen.evaluation.settings import ScorerSettings\n"
        "try: Classifier.load(ScorerSettings.parsed('scalar:someone/some-model'))\n"
        "except InputError as error: print(error)\n"
    )
    hub = {"HF_HUB_OFFLINE": offline, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | hub, capture_output=True, text=True, check=True
    )
    assert len(done.stdout.splitlines()) == 1
    assert done.stdout.startswith("someone/some-model: ")
    assert said in done.stdout


def test_errors_of_the_hub_say_what_to_do() -> None:
    import httpx
    from huggingface_hub import errors

    # The Hub's client has a library for HTTP of its own, whose replies look like these.
    answer: Any = httpx.Response(403, request=httpx.Request("GET", "http://127.0.0.1:9"))
    for kind, what in (
        (errors.GatedRepoError, "access must be asked for"),
        (errors.RepositoryNotFoundError, "no such model on the Hub"),
        (errors.RevisionNotFoundError, "no revision 'v9'"),
    ):
        with pytest.raises(InputError, match=what), one_line_errors("someone/some-model", "v9"):
            try:
                raise kind("no", response=answer)
            except Exception as error:
                raise OSError("several\nlines") from error


def test_torch_that_is_not_installed_is_named(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as util\nfind = util.find_spec\n"
        "util.find_spec = lambda name, package=None: None if name == 'torch' else find(name, package)\n"
    )
    code = (
        "from prbgen.errors import MissingExtraError\n"
        "try: import prbgen.evaluation.scorers.scalar.classifier\n"
        "except MissingExtraError as error: print(error)\n"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(Path.cwd())))}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "a scalar reward model needs an optional part of prbgen: pip install 'prbgen[scalar]'\n"


def test_facts_and_fingerprint_are_those_of_the_model(tmp_path: Path) -> None:
    folder = save(tmp_path / "my-qwen", "qwen2")
    classifier = load(folder)
    facts = classifier.facts
    assert (facts.kind, facts.name, facts.dtype, facts.device) == ("scalar", "my-qwen", "float32", "cpu")
    assert facts.parameters
    assert (facts.revision, facts.family) == (None, "Qwen")
    assert {"torch", "transformers"} <= set(classifier.versions)
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert load(copy).fingerprint == classifier.fingerprint
    assert load(folder, batch_tokens=99).fingerprint == classifier.fingerprint
    assert load(folder, max_tokens=99).fingerprint != classifier.fingerprint
    assert load(folder, dtype="bfloat16").fingerprint != classifier.fingerprint
    other = save(tmp_path / "other", "qwen2", labels=2)
    assert load(other).fingerprint != classifier.fingerprint


def test_the_limit_is_the_least_of_all(tmp_path: Path) -> None:
    folder = save(tmp_path / "llama", "llama")
    assert load(folder).limit == 2048  # the model's positions; its tokenizer would take 4,096
    assert load(folder, max_tokens=100).limit == 100


def test_a_model_that_counts_positions_from_behind_padding_has_fewer(tmp_path: Path) -> None:
    assert load(save(tmp_path / "roberta", "roberta", pad="eos")).limit == 66 - 2 - 1


def test_a_model_of_a_hub_that_tells_no_commit_is_known_by_name_and_revision(tmp_path: Path) -> None:
    loaded = loading.load(settings(save(tmp_path / "llama", "llama")))
    works = {
        fingerprint(loaded, ScorerSettings("scalar", name, revision=revision), "alone")
        for name in ("org/one", "org/other")
        for revision in ("", "v1")
    }
    assert len(works) == 4


@pytest.mark.parametrize(
    ("template", "lost"),
    [
        ("{{ messages[0]['content'] }}", "answer"),
        ("{{ messages[1]['content'] }}", "question"),
    ],
)
def test_a_template_that_leaves_out_a_turn_is_refused(tmp_path: Path, template: str, lost: str) -> None:
    with pytest.raises(InputError, match=f"its chat template leaves out the {lost}"):
        load(save(tmp_path / "llama", "llama", template=template))
