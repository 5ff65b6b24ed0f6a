"""Tiny models with random weights and a byte-level tokenizer that puts a BOS token before whatever it gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
)


def tokenizer(template: str | None) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<s>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=alphabet, special_tokens=special, show_progress=False
    )
    made.train_from_iterator(["Which novel should I read first, and which last?"] * 3, trainer)
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    wrapped = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made, bos_token="<s>", eos_token="<|im_end|>", model_max_length=4096
    )
    wrapped.chat_template = template
    return wrapped


def config(labels: int, positions: int = 4096, words: int = 300) -> Any:
    from transformers import Qwen2Config

    shape: dict[str, Any] = {
        "vocab_size": words,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": positions,
        "num_labels": labels,
        "pad_token_id": None,
    }
    return Qwen2Config(**shape)


def save_classifier(folder: Path, *, labels: int, template: str | None = None, positions: int = 4096) -> Path:
    import torch
    from transformers import Qwen2ForSequenceClassification

    made = tokenizer(template)
    torch.manual_seed(0)
    model = Qwen2ForSequenceClassification(config(labels, positions, len(made)))  # type: ignore[no-untyped-call]
    torch.nn.init.normal_(model.score.weight)  # so that scores differ by more than rounding
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def save_language_model(folder: Path) -> Path:
    """A model without a score head."""
    from transformers import Qwen2ForCausalLM

    made = tokenizer(TEMPLATE)
    Qwen2ForCausalLM(config(2, words=len(made))).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder
