"""What a reward server is asked and what it answers, as JSON.

    POST URL   {"inputs": [{"prompt": ..., "response": ..., "messages": [...]}, ...]}
    200        {"scores": [0.25, ...]}

A score for each input, in their order; higher is better. `messages` are prompt and response as chat turns, for servers
that render a chat template. The inputs of a request share their prompt. 413 says that one of them is too long for the
model: the same is then asked with a shorter prompt. 429 and 5xx are tried again, after Retry-After where the server
gives it; 401, 403 and 404 end it all; any other 4xx concerns this request alone. A key is sent as a Bearer token.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict


class _Wire(BaseModel):
    """Each side may say more than the other one knows; a number in quotation marks is no number."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class RewardMessage(_Wire):
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str


class RewardInput(_Wire):
    """What a person says, and an answer to it; `messages` holds both again, as chat turns."""

    prompt: str
    response: str
    messages: tuple[RewardMessage, RewardMessage]

    @classmethod
    def of(cls, prompt: str, response: str) -> Self:
        """The input for this answer to this prompt."""
        turns = (RewardMessage(role="user", content=prompt), RewardMessage(role="assistant", content=response))
        return cls(prompt=prompt, response=response, messages=turns)


class RewardRequest(_Wire):
    """Inputs that share their prompt."""

    inputs: tuple[RewardInput, ...]

    @classmethod
    def of(cls, prompt: str, responses: Iterable[str]) -> Self:
        """The request for these answers to this prompt."""
        return cls(inputs=tuple(RewardInput.of(prompt, response) for response in responses))


class RewardResponse(_Wire):
    """A score for each input, in their order."""

    scores: tuple[float, ...]
