"""What tokens cost, and what a call may take at most: known before it is sent, or null."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from prbgen.llm.model import Call, Completion
from prbgen.model_settings import ModelSettings

# A chat template adds to each message, and to the whole, fewer tokens than this.
_TOKENS_AROUND = 32


@dataclass(frozen=True)
class Price:
    """USD a token: of a prompt, of its part that the provider's cache had or took in, and of a reply."""

    prompt: float
    cached: float
    cache_writing: float
    reply: float

    def of(self, usage: dict[str, Any]) -> float | None:
        """What a call cost by the provider's record of it, null where that says nothing.

        Prompt tokens include the cached ones, as in OpenAI's records.
        """
        if "prompt_tokens" not in usage or "completion_tokens" not in usage:
            return None
        details = usage.get("prompt_tokens_details") or {}
        cached = details.get("cached_tokens") or 0
        written = details.get("cache_creation_tokens") or usage.get("cache_creation_input_tokens") or 0
        plain = usage["prompt_tokens"] - cached - written
        prompt = plain * self.prompt + cached * self.cached + written * self.cache_writing
        return float(prompt + usage["completion_tokens"] * self.reply)


@dataclass(frozen=True)
class AtMost:
    """What a call may take at most: tokens and USD, null where nobody knows."""

    tokens: int | None
    usd: float | None


def price_of(model: ModelSettings, *, batch: bool = False) -> Price | None:
    """The price of a model: of the recipe if it says one, else of LiteLLM's list; null where neither does.

    A provider's `batch` costs what the list says, else half.
    """
    share = 0.5 if batch else 1
    if model.input_cost_per_token is not None and model.output_cost_per_token is not None:
        own = model.input_cost_per_token * share
        return Price(own, own, own, model.output_cost_per_token * share)
    if model.name.startswith("local/"):
        return Price(0, 0, 0, 0)
    known = _listed(model.name)
    if batch and (price := _price(known, "_batches")):
        return price
    price = _price(known)
    return price and Price(price.prompt * share, price.cached * share, price.cache_writing * share, price.reply * share)


def cost_of(model: ModelSettings, completion: Completion) -> float | None:
    """What a reply cost in USD: at the recipe's price if it says one, else as LiteLLM worked it out."""
    price = price_of(model)
    if completion.cost_usd is not None and model.input_cost_per_token is None:
        return completion.cost_usd
    return price.of(completion.usage) if price else None


def most_reply_tokens(model: ModelSettings) -> int | None:
    """The longest reply that a model can give: as set, else as LiteLLM's list has it."""
    for name in ("max_completion_tokens", "max_tokens"):
        if isinstance(most := model.params.get(name), int):
            return most
    most = _listed(model.name).get("max_output_tokens")
    return most if isinstance(most, int) else None


def at_most(call: Call, *, batch: bool = False) -> AtMost:
    """A true bound: no tokenizer makes more tokens of a text than it has bytes."""
    texts = [message.content for message in call.messages]
    if call.schema:
        texts.append(json.dumps(call.schema))
    prompt = sum(len(text.encode()) for text in texts) + _TOKENS_AROUND * (len(texts) + 1)
    reply = most_reply_tokens(call.model)
    if reply is None:
        return AtMost(None, None)
    reply *= call.n
    price = price_of(call.model, batch=batch)
    usd = prompt * max(price.prompt, price.cache_writing) + reply * price.reply if price else None
    return AtMost(prompt + reply, usd)


def likely_tokens(call: Call) -> int:
    """A guess at what a call takes, for limits of tokens a minute; the provider's record corrects it."""
    reply = min(most_reply_tokens(call.model) or 500, 2000) * call.n
    return sum(len(message.content.encode()) for message in call.messages) // 4 + reply


def _price(known: dict[str, Any], kind: str = "") -> Price | None:
    prompt, reply = known.get(f"input_cost_per_token{kind}"), known.get(f"output_cost_per_token{kind}")
    # The list says 0 where it has no price.
    if not prompt or not reply:
        return None
    return Price(
        prompt,
        cast("float", known.get(f"cache_read_input_token_cost{kind}") or prompt),
        cast("float", known.get(f"cache_creation_input_token_cost{kind}") or prompt),
        reply,
    )


@cache
def _listed(name: str) -> dict[str, Any]:
    if name.startswith(("local/", "scripted/")):
        return {}
    from prbgen.llm.transports.litellm_module import litellm

    try:
        return dict(litellm().get_model_info(name))
    except Exception:  # it has no class of its own for a model that it does not know
        return {}
