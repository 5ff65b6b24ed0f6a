"""Made-up work for score_pairs.py: a sequence classifier with random weights, and people who ask it.

Words are drawn by rank as in natural text. What a person says is posts of about 200 words, then a question: about
2,000 tokens, with a standard deviation of a quarter of that (the quantiles of a normal distribution, in random order).
Answers have about 100 words, with a standard deviation of 15. All is drawn with fixed seeds.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import NormalDist
from typing import Any

FAMILIES = ("qwen2", "llama")
TOKENS, SPREAD = 2000, 0.25
WORDS_A_POST, WORDS_AN_ANSWER = 200, 100
VOCABULARY, PIECES = 12_000, 8192
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
)


class Words:
    """Text as it might be."""

    def __init__(self, seed: int) -> None:
        import numpy as np

        letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
        self.rng = np.random.default_rng(0)
        made = ("".join(self.rng.choice(letters, self.rng.integers(2, 10))) for _ in range(VOCABULARY))
        self._words = np.array(list(made), dtype=object)
        self._up_to = np.cumsum(1 / np.arange(2, VOCABULARY + 2))
        self.rng = np.random.default_rng(seed)

    def text(self, words: float) -> str:
        """So many words, give or take."""
        import numpy as np

        length = max(3, int(self.rng.normal(words, 0.15 * words)))
        places = np.searchsorted(self._up_to, self.rng.uniform(0, self._up_to[-1], length))
        return " ".join(self._words[np.minimum(places, VOCABULARY - 1)]) + "."


def save_tokenizer(folder: Path) -> Any:
    """A byte-level BPE tokenizer with a chat template, trained on such words."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=PIECES,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|begin|>", "<|im_start|>", "<|im_end|>", "<|pad|>"],
        show_progress=False,
    )
    words = Words(seed=1)
    made.train_from_iterator((words.text(WORDS_A_POST) for _ in range(2000)), trainer)
    names = {"bos_token": "<|begin|>", "eos_token": "<|im_end|>", "pad_token": "<|pad|>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=8192, **names)  # type: ignore[no-untyped-call]
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    return tokenizer


def save_model(folder: Path, family: str, pad: int) -> int:
    """A classifier of 12 layers with one label, in float32; returns the number of its parameters."""
    import torch
    from transformers import LlamaConfig, LlamaForSequenceClassification, Qwen2Config, Qwen2ForSequenceClassification

    torch.manual_seed(0)
    shape: dict[str, Any] = {
        "vocab_size": PIECES,
        "hidden_size": 768,
        "intermediate_size": 2688,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "num_key_value_heads": 4,
        "max_position_embeddings": 8192,
        "num_labels": 1,
        "pad_token_id": pad,
    }
    model: Any
    if family == "llama":
        model = LlamaForSequenceClassification(LlamaConfig(**shape))  # type: ignore[no-untyped-call]
    else:
        model = Qwen2ForSequenceClassification(Qwen2Config(**shape))  # type: ignore[no-untyped-call]
    # Scores then spread by about 1, so that a difference of 1e-3 means something.
    torch.nn.init.normal_(model.score.weight, std=shape["hidden_size"] ** -0.5)
    model.save_pretrained(folder)
    return sum(each.numel() for each in model.parameters())


def write(file: Path, tokenizer: Any, asked: int, answers: int, seed: int) -> dict[str, float]:
    """So many people with so many answers each, as JSON lines; returns what they come to in tokens."""
    words = Words(seed)
    counts: dict[str, list[int]] = {"message": [], "answer": []}
    with file.open("w", encoding="utf-8") as lines:
        for length in _lengths(words, asked):
            message = _message(words, tokenizer, length)
            row = {"message": message, "answers": [words.text(WORDS_AN_ANSWER) for _ in range(answers)]}
            lines.write(json.dumps(row) + "\n")
            counts["message"].append(len(tokenizer.encode(message)))
            counts["answer"] += [len(tokenizer.encode(answer)) for answer in row["answers"]]
    return {f"{name}_{what}": each for name in counts for what, each in _spread(counts[name]).items()}


def read(file: Path) -> list[dict[str, Any]]:
    """The people: `message` and `answers`."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _lengths(words: Words, count: int) -> list[int]:
    shares = [(each + 0.5) / count for each in range(count)]
    lengths = [int(TOKENS * NormalDist(1, SPREAD).inv_cdf(share)) for share in shares]
    return [lengths[place] for place in words.rng.permutation(count)]


def _message(words: Words, tokenizer: Any, target: int) -> str:
    """Posts until so many tokens are there, then a question; the last post is cut to the length."""
    question = f"The person's question:\n{words.text(15)}"
    room = target - len(tokenizer.encode(question))
    posts: list[str] = []
    while room > 20:
        post = f"[{len(posts) + 1}] {words.text(WORDS_A_POST)}\n\n"
        post = tokenizer.decode(tokenizer.encode(post)[:room])
        posts.append(post)
        room -= len(tokenizer.encode(post))
    return "".join(posts) + f"\n\n{question}"


def _spread(counts: list[int]) -> dict[str, float]:
    import numpy as np

    return {"mean": float(np.mean(counts)), "sd": float(np.std(counts)), "most": float(max(counts))}
