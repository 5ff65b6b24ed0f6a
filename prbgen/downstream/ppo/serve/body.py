"""The body of a request: read up to a bound, and checked."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import ClientDisconnect

from prbgen.downstream.ppo.serve.job import Input
from prbgen.downstream.ppo.serve.refusal import NoScoresError
from prbgen.reward_protocol import RewardInput, RewardMessage

# Bytes. The protocol has each prompt twice.
LARGEST = 64 * 2**20


class _Input(BaseModel):
    """As RewardInput, but `messages` may be left out."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    prompt: str
    response: str
    messages: tuple[RewardMessage, ...] | None = None

    @property
    def consistent(self) -> bool:
        return self.messages in (None, RewardInput.of(self.prompt, self.response).messages)


class _Request(BaseModel):
    """As RewardRequest, but the inputs may have different prompts."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    inputs: tuple[_Input, ...]


async def read(request: Request) -> bytes:
    """The body of a request.

    Raises:
        NoScoresError: it is too large, and the rest of it is not read; or the client has gone.
    """
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > LARGEST:
        raise _too_large()
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST:
                raise _too_large()
    except ClientDisconnect:
        raise NoScoresError("client_gone", "the client has gone") from None
    return bytes(body)


def inputs_of(body: bytes) -> list[Input]:
    """The inputs in a body, in their order.

    Raises:
        NoScoresError: it is not as the protocol says. Nothing of what was sent is repeated.
    """
    try:
        inputs = _Request.model_validate_json(body).inputs
    except ValidationError as error:
        raise NoScoresError("bad_request", _meaning(error)) from None
    for number, each in enumerate(inputs):
        if not each.consistent:
            what = f"inputs.{number}.messages: are not its prompt (user) and its response (assistant)"
            raise NoScoresError("bad_request", what)
    return [(each.prompt, each.response) for each in inputs]


def _meaning(error: ValidationError) -> str:
    fault: Any = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, fault["loc"]))
    form = 'the body should be {"inputs": [{"prompt": ..., "response": ...}, ...]}'
    return f"{form}: {where or 'JSON'}: {fault['msg']}"


def _too_large() -> NoScoresError:
    return NoScoresError("too_large", f"the request is larger than {LARGEST // 2**20} MiB; send fewer inputs at once")
