"""A chat model and its tokenizer from a folder or the Hub."""

from __future__ import annotations

from typing import Any

import transformers

from prbgen.downstream.best_of_n.policy import SamplingSettings
from prbgen.errors import InputError
from prbgen.evaluation.scorers.scalar.devices import ready
from prbgen.evaluation.scorers.scalar.faults import one_line_errors
from prbgen.evaluation.scorers.scalar.loading import Loaded
from prbgen.evaluation.scorers.scalar.quiet import quiet
from prbgen.evaluation.settings import ScorerSettings
from prbgen.model_settings import TRANSFORMERS


def load_policy(settings: SamplingSettings) -> Loaded:
    """Load the model that the settings name, with its tokenizer.

    Raises:
        InputError: there is none, it has no chat template, or it leaves no room for a prompt.
    """
    name = place_of(settings)
    with quiet(), one_line_errors(name, ""):
        tokenizer = _tokenizer(name)

        def weights(**more: Any) -> Any:
            model: Any = transformers.AutoModelForCausalLM.from_pretrained(name, trust_remote_code=False, **more)
            return model.eval()

        model, device = ready(weights, ScorerSettings("scalar", name))
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    limit = min(size for size in (tokenizer.model_max_length, positions) if size)
    if limit <= settings.max_tokens:
        raise InputError(f"{name}: takes {limit:,} tokens, which leaves no room for answers of {settings.max_tokens:,}")
    return Loaded(model, tokenizer, device, str(model.dtype).removeprefix("torch."), limit)


def load_tokenizer(settings: SamplingSettings) -> Any:
    """Load its tokenizer alone.

    Raises:
        InputError: there is none, or it has no chat template.
    """
    name = place_of(settings)
    with quiet(), one_line_errors(name, ""):
        return _tokenizer(name)


def _tokenizer(name: str) -> Any:
    tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
    if tokenizer.chat_template is None:
        raise InputError(f"{name}: has no chat template; a policy is a chat model")
    return tokenizer


def ends_of(loaded: Loaded) -> list[int]:
    """All tokens that end an answer: the tokenizer's, and those that the model is said to end with.

    Raises:
        InputError: there are none.
    """
    own = loaded.model.generation_config.eos_token_id
    several = own if isinstance(own, list) else [own]
    ends = [each for each in dict.fromkeys([loaded.tokenizer.eos_token_id, *several]) if each is not None]
    if not ends:
        raise InputError("the policy names no token that ends an answer (eos_token_id)")
    return ends


def place_of(settings: SamplingSettings) -> str:
    """The folder, or the name on the Hub."""
    return settings.policy.name.removeprefix(TRANSFORMERS)
