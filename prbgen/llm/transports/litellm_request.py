"""A call as LiteLLM takes it; batches ask for the same."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from prbgen.llm.model import Call
from prbgen.llm.secrets import resolve
from prbgen.model_settings import ModelSettings

# Servers that take a JSON schema, and n, though LiteLLM does not list their models.
_OWN_SERVERS = ("hosted_vllm/", "vllm/")


def arguments_of(library: Any, call: Call) -> dict[str, Any]:
    """The arguments of `acompletion`."""
    model = call.model
    arguments: dict[str, Any] = {name: resolve(value) for name, value in model.params.items()}
    arguments |= {
        "model": model.name,
        "messages": _messages(library, call),
        "timeout": call.timeout,
        "max_retries": 0,
    }
    if model.api_base:
        arguments["api_base"] = model.api_base
        if model.name.startswith("openai/") and "api_key" not in arguments and "OPENAI_API_KEY" not in os.environ:
            # The client insists on one; a server of one's own mostly needs none.
            arguments["api_key"] = "none"
    if call.n > 1:
        arguments["n"] = call.n
    supported = _supported(library, model.name)
    if "seed" in supported:
        arguments.setdefault("seed", call.sample)
    if call.schema and (_takes_schema(library, model.name) or _own_server(model)):
        arguments["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": call.schema, "strict": True},
        }
    return arguments


def _messages(library: Any, call: Call) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": each.role, "content": each.content} for each in call.messages]
    if call.shared and _wants_marks(library, call.model.name):
        last = messages[-1]["content"]
        head = {"type": "text", "text": last[: call.shared], "cache_control": {"type": "ephemeral"}}
        messages[-1]["content"] = [head, {"type": "text", "text": last[call.shared :]}]
    return messages


def takes_n(library: Any, model: ModelSettings) -> bool:
    """Whether one call may ask for several replies, as far as LiteLLM knows; servers may still refuse it."""
    return "n" in _supported(library, model.name) or _own_server(model)


def _own_server(model: ModelSettings) -> bool:
    return model.name.startswith(_OWN_SERVERS) or (model.name.startswith("openai/") and model.api_base is not None)


@cache
def _supported(library: Any, name: str) -> frozenset[str]:
    try:
        return frozenset(library.get_supported_openai_params(name) or ())
    except Exception:
        return frozenset()


@cache
def _wants_marks(library: Any, name: str) -> bool:
    """Whether this provider caches only what is marked: Anthropic's models, wherever they are served."""
    return "claude" in name and bool(library.utils.supports_prompt_caching(model=name))


@cache
def _takes_schema(library: Any, name: str) -> bool:
    return bool(library.supports_response_schema(model=name))
