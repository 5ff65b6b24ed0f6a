"""A tiny chat model with random weights, prompts as `ppo prepare` writes them, and a reward that is easy to learn."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any

QUESTIONS = (
    "How do I learn Go?",
    "What should I cook tonight?",
    "Which book next?",
    "How do I sleep better?",
    "Plan a trip to Rome.",
    "Fix my bike brake.",
    "Write to my boss.",
    "Grow basil indoors?",
)
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def save_policy(folder: Path, *, pad: bool = True, positions: int = 1024) -> Path:
    """A Qwen2 of two layers, and a byte-level tokenizer with a chat template."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        show_progress=False,
    )
    made.train_from_iterator(["What should a personal answer to this question say? " * 3], trainer)
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>" if pad else None,
        additional_special_tokens=["<|im_start|>", "<|im_end|>"],
        model_max_length=positions,
    )
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=positions,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_prepared(folder: Path, questions: Sequence[str] = QUESTIONS) -> Path:
    """The two files of `ppo prepare`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    rows: list[dict[str, Any]] = [
        {
            "data_source": "prbgen",
            "prompt": [{"role": "user", "content": question}],
            "ability": "personalised answers",
            "reward_model": {"style": "model", "ground_truth": ""},
            "extra_info": {"id": str(place)},
        }
        for place, question in enumerate(questions)
    ]
    for name in ("train", "validation"):
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder


class Letters:
    """A Reward: the share of an answer's characters that are small letters. Fails at the call of that number."""

    def __init__(self, fails_at: float = math.inf) -> None:
        self.versions: dict[str, str] = {}
        self.asked: list[tuple[list[str], list[str]]] = []
        self._fails_at = fails_at

    def __call__(self, prompts: Sequence[str], answers: Sequence[str]) -> list[float]:
        from prbgen.errors import PrbgenError

        self.asked.append(([*prompts], [*answers]))
        if len(self.asked) >= self._fails_at:
            raise PrbgenError("http:http://there: no rewards for 10 min")
        return [sum(each in string.ascii_lowercase for each in answer) / max(len(answer), 1) for answer in answers]
