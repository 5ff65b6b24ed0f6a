"""Tiny reward models with random weights, made on the spot: they show how a study goes, and know nothing."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
)
_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
_POSITIONS = 8192


def make_reward_model(folder: Path, seed: int) -> Path:
    """A sequence classifier of 0.1 M parameters that reads bytes; what is there is kept.

    Raises:
        MissingExtraError: torch or transformers is not installed.
    """
    import prbgen.evaluation.scorers.scalar  # noqa: F401 - says what is missing

    if (folder / "config.json").is_file():
        return folder
    import torch
    from transformers import Qwen2Config, Qwen2ForSequenceClassification

    from prbgen.evaluation.scorers.scalar.quiet import quiet

    tokenizer = _tokenizer()
    config_of: Any = Qwen2Config
    config = config_of(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=_POSITIONS,
        num_labels=1,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(seed)
    model_of: Any = Qwen2ForSequenceClassification
    model = model_of(config)
    torch.nn.init.normal_(model.score.weight)  # so that scores differ by more than rounding
    unfinished = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    with quiet():
        model.save_pretrained(unfinished)
        tokenizer.save_pretrained(unfinished)
    unfinished.rename(folder)
    return folder


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: place for place, token in enumerate([*_SPECIAL, *letters])}
    bytes_alone = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    tokenizer_of: Any = PreTrainedTokenizerFast
    wrapped = tokenizer_of(
        tokenizer_object=bytes_alone,
        pad_token=_SPECIAL[0],
        eos_token=_SPECIAL[2],
        additional_special_tokens=_SPECIAL[1:2],
        model_max_length=_POSITIONS,
    )
    wrapped.chat_template = _TEMPLATE
    return wrapped
