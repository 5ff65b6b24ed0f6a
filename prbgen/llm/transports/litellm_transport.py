"""The way to every provider: LiteLLM, imported only when the first call is really sent."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from functools import cache
from typing import Any

from prbgen.llm.model import Call, CallError, Completion, Finish
from prbgen.llm.secrets import load_env_file, resolve
from prbgen.llm.transports.litellm_faults import as_call_error

# Servers that take a JSON schema though LiteLLM does not list their models.
_SCHEMA_PROVIDERS = ("hosted_vllm/", "vllm/")


class LiteLLMTransport:
    """Sends calls through LiteLLM; its own retries are off, as they repeat 400 and 401 and ignore Retry-After."""

    async def complete(self, call: Call) -> Completion:
        """Send one call. Raises CallError if no reply came."""
        litellm = _litellm()
        arguments = _arguments(litellm, call)
        try:
            # LiteLLM's own time-out is one of silence; a slow trickle would never end.
            async with asyncio.timeout(call.timeout):
                response = await litellm.acompletion(**arguments)
        except TimeoutError:
            raise CallError("timeout", f"no reply within {call.timeout:g} s") from None
        except litellm.exceptions.ContentPolicyViolationError as error:
            return Completion(text=str(error), finish="filtered")
        except Exception as error:
            raise as_call_error(litellm.exceptions, error) from None
        return _completion(litellm, response)

    async def close(self) -> None:
        """Close the HTTP connections that LiteLLM keeps."""
        if "litellm" not in sys.modules:
            return
        from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

        await close_litellm_async_clients()


@cache
def _litellm() -> Any:
    load_env_file()
    # Or it tries to download a price list.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def _arguments(litellm: Any, call: Call) -> dict[str, Any]:
    model = call.model
    arguments: dict[str, Any] = {name: resolve(value) for name, value in model.params.items()}
    arguments |= {
        "model": model.name,
        "messages": [{"role": message.role, "content": message.content} for message in call.messages],
        "timeout": call.timeout,
        "max_retries": 0,
    }
    if model.api_base:
        arguments["api_base"] = model.api_base
        if model.name.startswith("openai/") and "api_key" not in arguments and "OPENAI_API_KEY" not in os.environ:
            # The client insists on one; a server of one's own mostly needs none.
            arguments["api_key"] = "none"
    supported = _supported(litellm, model.name)
    if "seed" in supported:
        arguments.setdefault("seed", call.sample)
    if call.schema and (_takes_schema(litellm, model.name) or _own_server(call)):
        arguments["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": call.schema, "strict": True},
        }
    return arguments


def _own_server(call: Call) -> bool:
    return call.model.name.startswith(_SCHEMA_PROVIDERS) or (
        call.model.name.startswith("openai/") and call.model.api_base is not None
    )


@cache
def _supported(litellm: Any, name: str) -> frozenset[str]:
    try:
        return frozenset(litellm.get_supported_openai_params(name) or ())
    except Exception:
        return frozenset()


@cache
def _takes_schema(litellm: Any, name: str) -> bool:
    return bool(litellm.supports_response_schema(model=name))


def _completion(litellm: Any, response: Any) -> Completion:
    if not response.choices:
        raise CallError("server", "the reply has no choices")
    choice = response.choices[0]
    refusal = getattr(choice.message, "refusal", None)
    text = choice.message.content or refusal or ""
    usage = _usage(response)
    return Completion(
        text=text,
        finish="filtered" if refusal else _finish(choice.finish_reason),
        usage=usage,
        cost_usd=_cost(litellm, response) if usage else None,
    )


def _usage(response: Any) -> dict[str, Any]:
    usage = getattr(response, "usage", None)
    record: dict[str, Any] = usage.model_dump(mode="json", exclude_none=True) if usage else {}
    # LiteLLM fills in zeros where the server sent none, and no call takes no tokens: unknown.
    return record if record.get("total_tokens") else {}


def _finish(reason: str | None) -> Finish:
    if reason == "length":
        return "length"
    return "filtered" if reason == "content_filter" else "stop"


def _cost(litellm: Any, response: Any) -> float | None:
    try:
        cost = float(litellm.completion_cost(completion_response=response))
    except Exception:
        return None
    # LiteLLM says 0 where it has no price.
    return cost or None
