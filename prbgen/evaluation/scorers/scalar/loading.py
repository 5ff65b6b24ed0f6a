"""A classifier and its tokenizer from a folder or the Hub, with all of its weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import transformers

from prbgen.errors import InputError
from prbgen.evaluation.scorers.scalar.devices import ready
from prbgen.evaluation.scorers.scalar.faults import one_line_errors
from prbgen.evaluation.scorers.scalar.quiet import quiet
from prbgen.evaluation.settings import ScorerSettings


@dataclass(frozen=True)
class Loaded:
    """A model that is ready on its device; `limit` is the tokens of one input at most; `dtype` as torch names it."""

    model: Any
    tokenizer: Any
    device: torch.device
    dtype: str
    limit: int


def load(settings: ScorerSettings) -> Loaded:
    """Load a model.

    Raises:
        InputError: there is none, it cannot be fetched, it has no score head, more than two labels, or is too large.
    """
    name, origin = settings.model, _origin(settings)
    with quiet(), one_line_errors(name, settings.revision):
        config = transformers.AutoConfig.from_pretrained(name, **origin)
        if config.num_labels > 2:
            raise InputError(f"{name}: has {config.num_labels} labels; a reward model has one, or two (bad, good)")
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **origin)

        def weights(**more: Any) -> Any:
            return _weights(name, {**origin, **more})

        model, device = ready(weights, settings)
    return Loaded(model, tokenizer, device, str(model.dtype).removeprefix("torch."), _limit(model, tokenizer, settings))


def load_tokenizer(settings: ScorerSettings) -> Any:
    """Load its tokenizer alone.

    Raises:
        InputError: there is none, or it cannot be fetched.
    """
    with quiet(), one_line_errors(settings.model, settings.revision):
        return transformers.AutoTokenizer.from_pretrained(settings.model, **_origin(settings))


def _origin(settings: ScorerSettings) -> dict[str, Any]:
    revision = {"revision": settings.revision} if settings.revision else {}
    return {"trust_remote_code": settings.trust_remote_code, **revision}


def _weights(name: str, options: dict[str, Any]) -> Any:
    kind = transformers.AutoModelForSequenceClassification
    model, report = kind.from_pretrained(name, output_loading_info=True, **options)
    if lost := sorted(map(str, (*report["missing_keys"], *report["mismatched_keys"]))):
        raise InputError(f"{name}: lacks the weights that score an answer ({lost[0]}): is it a reward model?")
    return model.eval()


def _limit(model: Any, tokenizer: Any, settings: ScorerSettings) -> int:
    """The tokens that settings, tokenizer and model all allow."""
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    for part, module in model.named_modules():
        # Models like RoBERTa count positions from behind that of padding.
        if part.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions = module.num_embeddings - module.padding_idx - 1
    return min(size for size in (settings.max_tokens, tokenizer.model_max_length, positions) if size)
