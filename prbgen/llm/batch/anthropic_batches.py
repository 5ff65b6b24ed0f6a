"""The Anthropic Message Batches API through its SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.llm.batch.anthropic_params import params_of
from prbgen.llm.batch.clients import client_options
from prbgen.llm.batch.faults import told_apart
from prbgen.llm.batch.provider import Arrival, ResultsGoneError, Size, State
from prbgen.llm.model import Call, CallError, Completion, FaultKind, Finish
from prbgen.model_settings import ModelSettings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

# So much may this machine's clock be ahead of the provider's.
_CLOCKS = timedelta(hours=1)
_HEAD, _TAIL = b'{"requests":[', b"]}"
_FINISHES: dict[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filtered",
}
# A request that failed in a batch is not billed, whatever the reason.
_FAULTS: dict[str, FaultKind] = {
    "authentication_error": "auth",
    "permission_error": "auth",
    "billing_error": "quota",
    "not_found_error": "unknown_model",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overload",
    "api_error": "server",
    "timeout_error": "server",
}


class AnthropicBatches:
    """Batches of one model of Anthropic."""

    name = "anthropic"
    # Less than allowed by what stands around the requests.
    most = Size(100_000, 256_000_000 - len(_HEAD + _TAIL))

    def __init__(self, model: ModelSettings) -> None:
        self._model = model

    @cached_property
    def _client(self) -> AsyncAnthropic:
        import anthropic

        options = client_options(self._model)
        options.pop("organization", None)
        if "base_url" in options:
            # The online route takes addresses with and without the path.
            options["base_url"] = str(options["base_url"]).rstrip("/").removesuffix("/v1/messages").removesuffix("/v1")
        with told_apart(anthropic):
            return anthropic.AsyncAnthropic(**options)

    async def close(self) -> None:
        """Close connections."""
        if "_client" in self.__dict__:
            await self._client.close()

    def request(self, call: Call, key: str) -> dict[str, Any]:
        """A call as the online route would ask it.

        Raises:
            InputError: Anthropic does not know a setting, or needs to be told how long a reply may get.
        """
        return {"custom_id": key, "params": params_of(call)}

    async def submit(self, submission: str, requests: Path) -> str:
        """Create the batch, straight from the file. The SDK does not repeat it: it might have arrived."""
        import anthropic
        from anthropic.types.messages import MessageBatch

        size = len(_HEAD) + requests.stat().st_size - 1 + len(_TAIL)  # noqa: ASYNC240
        with told_apart(anthropic):
            batch = await self._client.post(
                "/v1/messages/batches",
                cast_to=MessageBatch,
                content=_body(requests),
                options={
                    "headers": {"Content-Type": "application/json", "Content-Length": str(size)},
                    "max_retries": 0,
                },
            )
        return batch.id

    async def find(self, submission: str, since: datetime, calls: int) -> list[str]:
        """Batches of that size made since: Anthropic keeps no name of ours, only results tell whose they are."""
        import anthropic

        found = []
        with told_apart(anthropic):
            # The newest come first.
            async for batch in self._client.messages.batches.list(limit=100):
                if batch.created_at < since - _CLOCKS:
                    break
                if sum(batch.request_counts.to_dict().values()) == calls:  # type: ignore[arg-type]
                    found.append(batch.id)
        return found[::-1]

    async def state(self, batch: str) -> State:
        """How far a batch is."""
        import anthropic

        with told_apart(anthropic):
            found = await self._client.messages.batches.retrieve(batch)
        counts = found.request_counts
        done = counts.succeeded + counts.errored + counts.canceled + counts.expired
        status: str = found.processing_status
        ended = status == "ended"
        if ended and (counts.canceled or counts.expired):
            status = "cancelled" if counts.canceled else "expired"
        return State(status, ended, done, done + counts.processing)

    async def results(self, batch: str) -> AsyncGenerator[Arrival, None]:
        """What came of each call."""
        import anthropic

        with told_apart(anthropic):
            if not (await self._client.messages.batches.retrieve(batch)).results_url:
                raise ResultsGoneError  # they are kept for a month
            async for each in await self._client.messages.batches.results(batch):
                record = each.to_dict(mode="json")
                key, result = record.get("custom_id"), record.get("result")
                if isinstance(key, str) and isinstance(result, dict):
                    yield key, _outcome(result)


async def _body(requests: Path) -> AsyncIterator[bytes]:
    """The requests of a file with one a line, as one JSON document."""
    yield _HEAD
    with requests.open("rb") as file:
        line = file.readline()
        while line:
            following = await asyncio.to_thread(file.readline)
            yield line.rstrip(b"\n") + (b"," if following else b"")
            line = following
    yield _TAIL


def _outcome(result: dict[str, Any]) -> Completion | CallError:
    kind = result.get("type")
    if kind == "succeeded":
        return _completion(result.get("message"))
    if kind == "errored":
        error = result.get("error")
        error = error.get("error") if isinstance(error, dict) else None
        error = error if isinstance(error, dict) else {}
        what = str(error.get("message") or error.get("type") or "no reason given")
        fault = _FAULTS.get(str(error.get("type")), "bad_request")
        return CallError("quota" if "credit balance is too low" in what.lower() else fault, what)
    # What was not begun in time, or cancelled, is not billed and may be asked again.
    return CallError("overload", f"the call was {kind} before the provider came to it")


def _completion(message: Any) -> Completion | CallError:
    try:
        blocks = [block for block in message["content"] if block["type"] == "text"]
        text = "".join(block["text"] for block in blocks)
    except (KeyError, TypeError):
        return CallError("server", "the reply has no content")
    finish = _FINISHES.get(message.get("stop_reason") or "", "stop")
    return Completion(text, finish, _usage(message.get("usage")))


def _usage(usage: Any) -> dict[str, Any]:
    """The provider's record, and the same under the names that OpenAI uses, where prompts include what was cached."""
    counts = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    if not isinstance(usage, dict) or not all(isinstance(usage.get(name) or 0, int) for name in counts):
        return {}
    cached = usage.get("cache_read_input_tokens") or 0
    prompt = (usage.get("input_tokens") or 0) + cached + (usage.get("cache_creation_input_tokens") or 0)
    reply = usage.get("output_tokens") or 0
    return usage | {
        "prompt_tokens": prompt,
        "completion_tokens": reply,
        "total_tokens": prompt + reply,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
