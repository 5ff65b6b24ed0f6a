"""A call in Anthropic's own words, asking for the same as the online route does."""

from __future__ import annotations

from functools import cache
from typing import Any

from prbgen.errors import InputError
from prbgen.llm.batch.clients import without_connection
from prbgen.llm.model import Call
from prbgen.llm.prices import most_reply_tokens
from prbgen.llm.transports.litellm_module import litellm
from prbgen.llm.transports.litellm_request import arguments_of

# What older models take, though the SDK's types no longer list it.
_SAMPLING = frozenset({"temperature", "top_p", "top_k"})
# Settings of OpenAI that Anthropic has under another name.
_SAME = {"max_completion_tokens": "max_tokens", "stop": "stop_sequences", "user": "metadata"}


def params_of(call: Call) -> dict[str, Any]:
    """The parameters of a message.

    Raises:
        InputError: Anthropic does not know a setting, or needs to be told how long a reply may get.
    """
    online = without_connection(call.model, arguments_of(litellm(), call))
    schema = online.pop("response_format", None)
    messages = online.pop("messages")
    online.pop("model")
    params = _translated(call.model.label, online)
    most = params.get("max_tokens") or most_reply_tokens(call.model)
    if most is None:
        raise InputError(f"{call.model.label}: nobody knows how long its replies may get; set max_tokens")
    params |= {
        "model": call.model.name.partition("/")[2],
        "max_tokens": most,
        "messages": [each for each in messages if each["role"] != "system"],
    }
    if system := [{"type": "text", "text": each["content"]} for each in messages if each["role"] == "system"]:
        params["system"] = system
    if schema:
        form = {"type": "json_schema", "schema": _strict(schema["json_schema"]["schema"])}
        params["output_config"] = {**(params.get("output_config") or {}), "format": form}
    return params


def _translated(label: str, settings: dict[str, Any]) -> dict[str, Any]:
    params = {}
    for name, value in settings.items():
        own = _SAME.get(name, name)
        if own not in _known():
            raise InputError(f'{label}: Anthropic\'s batches know no setting "{name}"; leave it out')
        if name == "stop" and isinstance(value, str):
            value = [value]
        params[own] = {"user_id": value} if name == "user" else value
    return params


@cache
def _known() -> frozenset[str]:
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    return frozenset(MessageCreateParamsNonStreaming.__annotations__) | _SAMPLING


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema as Anthropic's grammar takes it; what it does not know goes into descriptions."""
    import anthropic

    return anthropic.transform_schema(schema)
