"""What a vLLM server replies at the two endpoints that reward models are asked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field

Endpoint: TypeAlias = Literal["classify", "pooling"]
ENDPOINTS: tuple[Endpoint, ...] = get_args(Endpoint)


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True)


class _Classified(_Reply):
    probs: Annotated[list[float], Field(min_length=1)]

    @property
    def logits(self) -> Sequence[float]:
        return self.probs


class _Pooled(_Reply):
    data: Annotated[list[float] | list[Annotated[list[float], Field(min_length=1)]], Field(min_length=1)]

    @property
    def logits(self) -> Sequence[float]:
        last = self.data[-1]
        return last if isinstance(last, list) else self.data  # type: ignore[return-value]


class _Usage(_Reply):
    prompt_tokens: int


class Classification(_Reply):
    """What /classify answers to one conversation."""

    data: tuple[_Classified]
    usage: _Usage


class Pooling(_Reply):
    """What /pooling answers to one conversation."""

    data: tuple[_Pooled]
    usage: _Usage
