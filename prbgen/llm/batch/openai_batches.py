"""The OpenAI Batch API through its SDK: a file of requests goes up, files of results and of errors come down."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.llm.batch.clients import client_options, without_connection
from prbgen.llm.batch.faults import kind_of, told_apart
from prbgen.llm.batch.provider import Arrival, ResultsGoneError, Size, State
from prbgen.llm.model import Call, CallError, Completion, FaultKind, Finish
from prbgen.llm.transports.litellm_module import litellm
from prbgen.llm.transports.litellm_request import arguments_of
from prbgen.model_settings import ModelSettings

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Batch

# The name of a submission in a batch's metadata.
_OURS = "prbgen"
# So much may this machine's clock be ahead of the provider's.
_CLOCKS = 3600
_ENDED = ("completed", "failed", "expired", "cancelled")
_FILTERED = ("content_filter", "content_policy_violation")
_REFUSALS: dict[str, FaultKind] = {
    "token_limit_exceeded": "rate_limit",
    "model_not_found": "unknown_model",
    "billing_hard_limit_reached": "quota",
    "insufficient_quota": "quota",
}


class OpenAIBatches:
    """Batches of one model of OpenAI, or of a server that speaks its protocol."""

    name = "openai"
    most = Size(50_000, 200_000_000)

    def __init__(self, model: ModelSettings) -> None:
        self._model = model

    @cached_property
    def _client(self) -> AsyncOpenAI:
        import openai

        options = client_options(self._model)
        if self._model.api_base and "OPENAI_API_KEY" not in os.environ:
            # The client insists on one; a server of one's own mostly needs none.
            options.setdefault("api_key", "none")
        with told_apart(openai):
            return openai.AsyncOpenAI(**options)

    async def close(self) -> None:
        """Close connections."""
        if "_client" in self.__dict__:
            await self._client.close()

    def request(self, call: Call, key: str) -> dict[str, Any]:
        """A call as the online route would ask it."""
        body = without_connection(call.model, arguments_of(litellm(), call))
        body["model"] = call.model.name.partition("/")[2]
        if "max_tokens" in body and not call.model.api_base:
            # The old name is refused by reasoning models, the new one by none of OpenAI's.
            body.setdefault("max_completion_tokens", body.pop("max_tokens"))
            body.pop("max_tokens", None)
        return {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}

    async def submit(self, submission: str, requests: Path) -> str:
        """Upload the file, then create its batch. Neither is repeated by the SDK: it might have arrived."""
        import openai

        client = self._client.with_options(max_retries=0)
        with told_apart(openai), requests.open("rb") as file:
            uploaded = await client.files.create(file=(f"{submission}.jsonl", file), purpose="batch")
            batch = await client.batches.create(
                input_file_id=uploaded.id,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={_OURS: submission},
            )
        return batch.id

    async def find(self, submission: str, since: datetime, calls: int) -> list[str]:
        """The batch that bears the submission's name."""
        import openai

        with told_apart(openai):
            # The newest come first.
            async for batch in self._client.batches.list(limit=100):
                if (batch.metadata or {}).get(_OURS) == submission:
                    return [batch.id]
                if batch.created_at < since.timestamp() - _CLOCKS:
                    break
        return []

    async def state(self, batch: str) -> State:
        """How far a batch is."""
        import openai

        with told_apart(openai):
            found = await self._client.batches.retrieve(batch)
        counts = found.request_counts
        done, total = (counts.completed + counts.failed, counts.total) if counts else (0, 0)
        refused = _refusal(found) if found.status == "failed" else None
        return State(found.status, found.status in _ENDED, done, total, refused)

    async def results(self, batch: str) -> AsyncGenerator[Arrival, None]:
        """What stands in the files of results and of errors."""
        import openai

        with told_apart(openai):
            found = await self._client.batches.retrieve(batch)
            for file in (found.output_file_id, found.error_file_id):
                if file is None:
                    continue
                try:
                    async with self._client.files.with_streaming_response.content(file) as response:
                        async for line in _lines(response.iter_bytes()):
                            if arrival := _arrival(line):
                                yield arrival
                except openai.NotFoundError:
                    raise ResultsGoneError from None


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Lines end at line feeds alone: text holds other separators, unescaped."""
    rest: list[bytes] = []
    async for chunk in chunks:
        *whole, last = chunk.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line])
            rest.clear()
        rest.append(last)
    yield b"".join(rest)


def _arrival(line: bytes) -> Arrival | None:
    try:
        record = json.loads(line)
    except ValueError:  # its call counts as one without a result
        return None
    key = record.get("custom_id") if isinstance(record, dict) else None
    return (key, _outcome(record)) if isinstance(key, str) else None


def _outcome(record: dict[str, Any]) -> Completion | CallError:
    response, error = record.get("response"), record.get("error")
    if not isinstance(response, dict):
        error = error if isinstance(error, dict) else {}
        what = str(error.get("message") or error.get("code") or "the batch ended without a reply")
        # What was not begun in time, or cancelled, is not billed and may be asked again.
        return CallError("overload" if error.get("code") in ("batch_expired", "batch_cancelled") else "server", what)
    status, body = response.get("status_code"), response.get("body")
    body = body if isinstance(body, dict) else {}
    if status != 200:
        fault = body.get("error")
        fault = fault if isinstance(fault, dict) else {}
        what = str(fault.get("message") or f"status {status}")
        if fault.get("code") in _FILTERED:
            return Completion(what, "filtered")
        return CallError(kind_of(status if isinstance(status, int) else None, f"{fault}"), what)
    return _completion(body)


def _completion(body: dict[str, Any]) -> Completion | CallError:
    try:
        choice = body["choices"][0]
        message = choice["message"]
        refusal = message.get("refusal")
        text = message.get("content") or refusal or ""
    except (KeyError, IndexError, TypeError, AttributeError):
        return CallError("server", "the reply has no choices")
    usage = body.get("usage")
    reason = choice.get("finish_reason")
    finish: Finish = "length" if reason == "length" else "stop"
    if refusal or reason == "content_filter":
        finish = "filtered"
    return Completion(str(text), finish, usage if isinstance(usage, dict) else {})


def _refusal(batch: Batch) -> CallError:
    faults = (batch.errors.data if batch.errors else None) or []
    if not faults:
        return CallError("bad_request", "no reason given")
    first = faults[0]
    what = f"{first.message or first.code}" + (f" (line {first.line})" if first.line is not None else "")
    return CallError(_REFUSALS.get(first.code or "", "bad_request"), what)
