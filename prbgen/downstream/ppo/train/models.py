"""The models of a training: the policy, what it was, and the critic."""

from __future__ import annotations

from typing import Any

import torch
import transformers

from prbgen.downstream.ppo.chat import chat_tokenizer
from prbgen.downstream.ppo.train.settings import TrainSettings
from prbgen.errors import InputError
from prbgen.evaluation.scorers.scalar.faults import one_line_errors
from prbgen.evaluation.scorers.scalar.quiet import quiet

_PAD = "<|pad|>"


def device_of(settings: TrainSettings) -> str:
    """Where training runs: cpu or cuda.

    Raises:
        InputError: there is no such device here.
    """
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise InputError(f"--device cuda: torch {torch.__version__} finds no GPU here")
    return settings.device or ("cuda" if torch.cuda.is_available() else "cpu")


def computes_in_bfloat16(settings: TrainSettings, device: str) -> bool:
    """Whether passes through the models are computed in bfloat16."""
    if settings.dtype == "auto":
        return device == "cuda" and torch.cuda.is_bf16_supported()
    return settings.dtype == "bfloat16"


def load_tokenizer(name: str) -> Any:
    """A policy's tokenizer, with a token for padding that ends nothing: the trainers take whatever is that token for
    padding, in a prompt as well.

    Raises:
        InputError: there is none, or it has no chat template or no end-of-text token.
    """
    tokenizer = chat_tokenizer(name)
    if tokenizer.eos_token_id is None:
        raise InputError(f"{name}: its tokenizer names no token that ends an answer (eos_token)")
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id == tokenizer.eos_token_id:
        tokenizer.add_special_tokens({"pad_token": _PAD})
    return tokenizer


def load_policy(name: str, tokenizer: Any, device: str) -> Any:
    """A language model in float32.

    Raises:
        InputError: there is none, or it does not fit.
    """
    with quiet(), one_line_errors(name, ""):
        model = transformers.AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32, trust_remote_code=False)
        return _fitted(model, tokenizer, device)


def load_critic(settings: TrainSettings, tokenizer: Any, device: str) -> Any:
    """What values what the policy has written so far: the value model that is named, or the policy's backbone with a
    fresh head, the same for the same seed.

    Raises:
        InputError: there is none, or it does not fit.
    """
    name = settings.value_model or settings.policy
    transformers.set_seed(settings.seed)
    with quiet(), one_line_errors(name, ""):
        kind = transformers.AutoModelForSequenceClassification
        model = kind.from_pretrained(name, num_labels=1, dtype=torch.float32, trust_remote_code=False)
        if not hasattr(model, "score"):
            raise InputError(f"{name}: has no value head that TRL can use (`score`); name another with --value-model")
        return _fitted(model, tokenizer, device)


def _fitted(model: Any, tokenizer: Any, device: str) -> Any:
    """With a row for every token, and on its device."""
    if len(tokenizer) > model.get_input_embeddings().num_embeddings:
        # New rows are drawn: the same in every process, and in a copy of the model.
        with torch.random.fork_rng():
            torch.manual_seed(0)
            model.resize_token_embeddings(len(tokenizer))
    model.config.pad_token_id = tokenizer.pad_token_id
    if getattr(model, "generation_config", None):
        # All that shapes sampling is said by the trainer: a top_k of the model's own would bias what it learns from.
        model.generation_config = transformers.GenerationConfig(  # type: ignore[no-untyped-call]
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    return model.to(device)


def refuse_too_long(rows: list[list[int]], settings: TrainSettings, config: Any) -> None:
    """See that every prompt leaves room for an answer; nothing is cut, and nothing left out silently.

    Raises:
        InputError: one is too long.
    """
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    most = min(settings.prompt_tokens, (positions or 10**9) - settings.response_tokens)
    if long := [len(row) for row in rows if len(row) > most]:
        raise InputError(
            f"{settings.prepared}: {len(long):,} of {len(rows):,} prompts have more than {most:,} tokens of"
            f" {settings.policy} (up to {max(long):,}): prepare them with fewer posts, or raise --prompt-tokens"
        )
