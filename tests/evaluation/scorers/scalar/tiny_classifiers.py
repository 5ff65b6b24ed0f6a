"""Tiny classifiers of several architectures with random weights, on disk, and what they say of one answer alone."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from prbgen.evaluation.scorers.scalar.classifier import Classifier
from prbgen.evaluation.settings import ScorerSettings
from tests.data_cards.tiny import TEMPLATE, tokenizer

Pad = Literal["own", "eos", "none"]
DECODERS = ("llama", "qwen2", "gemma2", "gemma3_text", "gpt2")
ENCODERS = ("bert", "deberta-v2")
# Ends with the end-of-text token: a model that pads with it reads its score one token earlier.
ENDS_WITH_EOS = TEMPLATE.replace("<|im_end|>\n", "<|im_end|>")

_SIZES = {"hidden_size": 48, "intermediate_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4}
_GROUPED = {**_SIZES, "num_key_value_heads": 2, "head_dim": 12, "max_position_embeddings": 2048}
_WINDOWED = {**_GROUPED, "sliding_window": 24, "query_pre_attn_scalar": 12}
_CONFIGS: dict[str, dict[str, Any]] = {
    "llama": _GROUPED,
    "qwen2": _GROUPED,
    "gemma2": _WINDOWED,
    "gemma3_text": _WINDOWED,
    "gpt2": {"n_embd": 48, "n_layer": 3, "n_head": 4, "n_positions": 2048},
    "bert": {**_SIZES, "max_position_embeddings": 2048},
    "roberta": {**_SIZES, "max_position_embeddings": 66},
    "deberta-v2": {
        **_SIZES,
        "max_position_embeddings": 2048,
        "relative_attention": True,
        "position_buckets": 32,
        "pos_att_type": ["c2p", "p2c"],
        "pooler_hidden_size": 48,
    },
}


def save(
    folder: Path,
    kind: str,
    *,
    labels: int = 1,
    pad: Pad = "own",
    side: str = "right",
    template: str | None = TEMPLATE,
    window: int | None = None,
) -> Path:
    """A model whose scores differ by far more than rounding."""
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification

    made = tokenizer(template)
    made.padding_side = side
    if pad == "own":
        made.add_special_tokens({"pad_token": "<pad>"})
    elif pad == "eos":
        made.pad_token = made.eos_token
    id_of = {"own": made.pad_token_id, "eos": made.eos_token_id, "none": None}[pad]
    config = AutoConfig.for_model(
        kind,
        vocab_size=len(made),
        num_labels=labels,
        pad_token_id=id_of,
        bos_token_id=0,
        eos_token_id=2,
        **_CONFIGS[kind] | ({"sliding_window": window} if window else {}),
    )
    torch.manual_seed(1)
    model = AutoModelForSequenceClassification.from_config(config).eval()  # type: ignore[no-untyped-call]
    for name, weight in model.named_parameters():
        if weight.dim() > 1:  # wider than usual, so that what is attended to matters
            torch.nn.init.normal_(weight, std=0.5 if "score" in name or "classifier" in name else 0.15)
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


@lru_cache(maxsize=1)
def _loaded(folder: Path) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
    return AutoTokenizer.from_pretrained(folder), model.eval()


def alone(folder: Path, message: str, answer: str) -> float:
    """The score of one answer by transformers' own means: nothing batched, nothing padded."""
    import torch

    tokens, model = _loaded(folder)
    if tokens.chat_template is None:
        inputs = tokens(f"{message}\n\n{answer}", return_tensors="pt")
    else:
        chat = [{"role": "user", "content": message}, {"role": "assistant", "content": answer}]
        inputs = tokens.apply_chat_template(chat, tokenize=True, return_dict=True, return_tensors="pt")
    with torch.no_grad():
        logits: list[float] = model(**inputs).logits[0].double().tolist()
    return logits[0] if len(logits) == 1 else logits[1] - logits[0]


def settings(folder: Path, **more: Any) -> ScorerSettings:
    return ScorerSettings("scalar", str(folder), **more)


def load(folder: Path, **more: Any) -> Classifier:
    return Classifier.load(settings(folder, **more))
