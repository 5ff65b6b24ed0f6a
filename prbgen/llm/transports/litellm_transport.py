"""The way to every provider: LiteLLM, imported only when the first call is really sent."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, ClassVar

from prbgen.llm.choices import padded
from prbgen.llm.model import Call, CallError, Choice, Completion, Finish
from prbgen.llm.transports.digit_logprobs import digit_logprobs_of
from prbgen.llm.transports.litellm_faults import as_call_error
from prbgen.llm.transports.litellm_module import litellm
from prbgen.llm.transports.litellm_request import arguments_of

# Seconds. LiteLLM works some milliseconds on each call before it goes out: calls that begin together hold each other up
# and go out together at the end of it, and so do their replies come back.
_BETWEEN = 0.005


class LiteLLMTransport:
    """Sends calls through LiteLLM; its own retries are off, as they repeat 400 and 401 and ignore Retry-After."""

    # They share LiteLLM's connections: the last one that sent anything closes them.
    _in_use: ClassVar[set[LiteLLMTransport]] = set()

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def complete(self, call: Call) -> Completion:
        """Send one call. Raises CallError if no reply came."""
        library = litellm()
        self._in_use.add(self)
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
            refused = Choice(str(error), "filtered")
            return Completion(refused.text, refused.finish, choices=(refused,) * call.n if call.n > 1 else ())
        except Exception as error:
            raise as_call_error(library.exceptions, error) from None
        return _completion(response, call.n)

    async def close(self) -> None:
        """Close the HTTP connections that LiteLLM keeps."""
        self._in_use.discard(self)
        if "litellm" not in sys.modules or self._in_use:
            return
        from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

        await close_litellm_async_clients()
        # It would go on to use those that are closed.
        litellm().in_memory_llm_clients_cache.flush_cache()


def _completion(response: Any, n: int) -> Completion:
    if not response.choices:
        raise CallError("no_completion", "the reply has no choices")
    first, *_ = choices = [_choice(each) for each in response.choices]
    usage = _usage(response)
    hidden = getattr(response, "_hidden_params", None) or {}
    return Completion(
        text=first.text if n == 1 else "",
        finish=first.finish if n == 1 else "stop",
        usage=usage,
        # What LiteLLM worked out; it says 0 where it has no price.
        cost_usd=(hidden.get("response_cost") or None) if usage else None,
        headers=hidden.get("additional_headers") or {},
        digit_logprobs=digit_logprobs_of(getattr(response.choices[0], "logprobs", None)) if n == 1 else (),
        choices=padded(choices, n) if n > 1 else (),
    )


def _choice(choice: Any) -> Choice:
    refusal = getattr(choice.message, "refusal", None)
    return Choice(choice.message.content or refusal or "", "filtered" if refusal else _finish(choice.finish_reason))


def _usage(response: Any) -> dict[str, Any]:
    usage = getattr(response, "usage", None)
    record: dict[str, Any] = usage.model_dump(mode="json", exclude_none=True) if usage else {}
    # LiteLLM fills in zeros where the server sent none, and no call takes no tokens: unknown.
    return record if record.get("total_tokens") else {}


def _finish(reason: str | None) -> Finish:
    if reason == "length":
        return "length"
    return "filtered" if reason == "content_filter" else "stop"
