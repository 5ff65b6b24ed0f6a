"""The way to every provider: LiteLLM, imported only when the first call is really sent."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from prbgen.llm.model import Call, CallError, Completion, Finish
from prbgen.llm.transports.digit_logprobs import digit_logprobs_of
from prbgen.llm.transports.litellm_faults import as_call_error
from prbgen.llm.transports.litellm_module import litellm
from prbgen.llm.transports.litellm_request import arguments_of

# Seconds. LiteLLM works some milliseconds on each call before it goes out: calls that begin together hold each other up
# and go out together at the end of it, and so do their replies come back.
_BETWEEN = 0.005


class LiteLLMTransport:
    """Sends calls through LiteLLM; its own retries are off, as they repeat 400 and 401 and ignore Retry-After."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def complete(self, call: Call) -> Completion:
        """Send one call. Raises CallError if no reply came."""
        library = litellm()
        arguments = arguments_of(library, call)
        async with self._turn:
            await asyncio.sleep(_BETWEEN)
        try:
            # LiteLLM's own time-out is one of silence; a slow trickle would never end.
            async with asyncio.timeout(call.timeout):
                response = await library.acompletion(**arguments)
        except TimeoutError:
            raise CallError("timeout", f"no reply within {call.timeout:g} s") from None
        except library.exceptions.ContentPolicyViolationError as error:
            return Completion(text=str(error), finish="filtered")
        except Exception as error:
            raise as_call_error(library.exceptions, error) from None
        return _completion(response)

    async def close(self) -> None:
        """Close the HTTP connections that LiteLLM keeps."""
        if "litellm" not in sys.modules:
            return
        from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

        await close_litellm_async_clients()


def _completion(response: Any) -> Completion:
    if not response.choices:
        raise CallError("server", "the reply has no choices")
    choice = response.choices[0]
    refusal = getattr(choice.message, "refusal", None)
    text = choice.message.content or refusal or ""
    usage = _usage(response)
    hidden = getattr(response, "_hidden_params", None) or {}
    return Completion(
        text=text,
        finish="filtered" if refusal else _finish(choice.finish_reason),
        usage=usage,
        # What LiteLLM worked out; it says 0 where it has no price.
        cost_usd=(hidden.get("response_cost") or None) if usage else None,
        headers=hidden.get("additional_headers") or {},
        digit_logprobs=digit_logprobs_of(getattr(choice, "logprobs", None)),
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
