"""A model that cannot be run the fast way steps back by itself, and says so."""

from __future__ import annotations

import json
import logging
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from prbgen.errors import InputError
from prbgen.evaluation.scorers.scalar import loading, passes
from prbgen.evaluation.scorers.scalar.classifier import Candidates, Classifier
from tests.evaluation.scorers.scalar.tiny_classifiers import alone, load, save, settings

LONG = "I walked along the river and thought of the book. " * 6
ANSWERS = ["A short one.", "One that is a good deal longer than the other, I should say.", "Neither."]
# A head that reads the last token whatever it is: padding would be scored. It must run row by row.
LAST_TOKEN = """
from transformers import Qwen2Config, Qwen2ForSequenceClassification
from transformers.modeling_outputs import SequenceClassifierOutputWithPast

class LastToken(Qwen2ForSequenceClassification):
    def forward(self, input_ids=None, attention_mask=None, **more):
        said = self.model(input_ids=input_ids, attention_mask=attention_mask)
        return SequenceClassifierOutputWithPast(logits=self.score(said.last_hidden_state[:, -1]))
"""


def with_code_of_its_own(folder: Path) -> Path:
    save(folder, "qwen2")
    (folder / "last_token.py").write_text(LAST_TOKEN)
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoModelForSequenceClassification": "last_token.LastToken"}
    config["architectures"] = ["LastToken"]
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_a_custom_head_is_scored_row_by_row_if_padding_would_be_read(tmp_path: Path) -> None:
    folder = with_code_of_its_own(tmp_path / "own")
    classifier = load(folder, trust_remote_code=True)
    assert "one by one" in str(classifier.remark)
    (found,) = classifier.score([Candidates(0, LONG, ANSWERS)])
    assert found.scores == pytest.approx([alone(folder, LONG, answer) for answer in ANSWERS], abs=1e-4)


def test_a_model_that_looks_ahead_shares_nothing(tmp_path: Path) -> None:
    """Its cache can be branched from, but the scores would be others."""
    folder = save(tmp_path / "llama", "llama")
    loaded = loading.load(settings(folder))

    def looks_ahead(module: Any, inputs: Any, output: Any) -> Any:
        return output + output.mean(dim=1, keepdim=True)

    loaded.model.model.embed_tokens.register_forward_hook(looks_ahead)
    classifier = Classifier(loaded, settings(folder))
    assert "one by one" in str(classifier.remark)
    rows = classifier.encode(LONG, ANSWERS)
    assert rows is not None
    (found,) = classifier.score([Candidates(0, LONG, ANSWERS)])
    with torch.no_grad():
        expected = [loaded.model(torch.tensor([row])).logits.item() for row in rows]
    assert found.scores == pytest.approx(expected, abs=1e-4)
    assert found.scores != pytest.approx([alone(folder, LONG, answer) for answer in ANSWERS], abs=1e-2)


def test_a_model_without_permission_for_its_code_is_refused(tmp_path: Path) -> None:
    folder = with_code_of_its_own(tmp_path / "own")
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"]["AutoConfig"] = "last_token.Unheard"
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "unheard-of"}))
    with pytest.raises(InputError, match="--trust-remote-code"):
        load(folder)


WINDOW = 400  # more than the ordinary rows have


@pytest.mark.parametrize("kind", ["gemma2", "gemma3_text"])
@pytest.mark.parametrize("window", [64, WINDOW])
def test_rows_beyond_a_window_have_the_scores_that_they_have_alone(tmp_path: Path, kind: str, window: int) -> None:
    folder = save(tmp_path / kind, kind, window=window)
    classifier = load(folder)
    assert classifier.remark is None
    question = "Which one? " * 30
    in_the_prefix = Candidates(0, question * 4, ANSWERS)
    in_the_branch = Candidates(1, question, [each + " So I say, and so be it." * 40 for each in ANSWERS])
    within = Candidates(2, question, ANSWERS)
    for found in classifier.score([in_the_prefix, in_the_branch, within]):
        group = (in_the_prefix, in_the_branch, within)[found.place]
        assert found.scores == pytest.approx([alone(folder, group.message, each) for each in group.answers], abs=1e-3)


@pytest.mark.parametrize("where", ["prefix", "branch"])
def test_nothing_is_shared_where_the_cache_is_wrong_beyond_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    folder = save(tmp_path / "gemma2", "gemma2", window=WINDOW)
    right = passes._update

    def wrong_beyond(layer: Any, rows: int, keys: Any, values: Any, *more: Any, **named: Any) -> Any:
        before, whole = layer.get_seq_length(), layer.get_seq_length() + keys.shape[-2]
        if before > WINDOW if where == "prefix" else before < WINDOW < whole:
            values = values + 1
        return right(layer, rows, keys, values, *more, **named)

    monkeypatch.setattr(passes, "_update", wrong_beyond)
    assert "cannot share" in str(load(folder).remark)
    # Within the window nothing is wrong, and no input can be longer.
    assert load(folder, max_tokens=WINDOW).remark is None


def test_libraries_say_nothing_while_it_is_tried_and_while_it_scores(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    folder, levels = save(tmp_path / "llama", "llama"), set()
    loaded = loading.load(settings(folder))
    recwarn.clear()

    def talkative(*_: Any) -> None:
        warnings.warn("mind the padding", stacklevel=1)
        levels.add(transformers.logging.get_verbosity())

    loaded.model.model.register_forward_pre_hook(talkative)
    list(Classifier(loaded, settings(folder)).score([Candidates(0, LONG, ANSWERS)]))
    assert levels == {logging.ERROR}
    assert not [each for each in recwarn if "padding" in str(each.message)]
