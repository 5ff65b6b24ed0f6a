"""What a provider of batches can do, whoever it is."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from prbgen.llm.model import Call, CallError, Completion

# The key of a call, and what came of it.
Arrival = tuple[str, Completion | CallError]


class ResultsGoneError(Exception):
    """The provider no longer keeps the results of a batch."""


@dataclass(frozen=True)
class Size:
    """The most that one batch may hold."""

    requests: int
    bytes: int


@dataclass(frozen=True)
class State:
    """How far a batch is. `refused`: why the provider takes no call of it (kind "rate_limit": not now)."""

    status: str
    ended: bool
    done: int
    total: int
    refused: CallError | None = None


class Provider(Protocol):
    """A provider's batches of one model. Every method that asks it raises CallError where that fails."""

    name: str
    most: Size

    def request(self, call: Call, key: str) -> dict[str, Any]:
        """A call as it stands in a batch.

        Raises:
            InputError: the provider cannot be asked for this.
        """
        ...

    async def submit(self, submission: str, requests: Path) -> str:
        """Create a batch of the requests in a file, one a line; returns the provider's name for it."""
        ...

    async def find(self, submission: str, since: datetime, calls: int) -> list[str]:
        """The batches that may be this submission of so many calls, made at `since` or later."""
        ...

    async def state(self, batch: str) -> State:
        """How far a batch is."""
        ...

    def results(self, batch: str) -> AsyncGenerator[Arrival, None]:
        """What came of the calls of a batch that has ended, in any order; some may be missing, or there twice.

        Raises:
            ResultsGoneError: that is no longer kept.
        """
        ...

    async def close(self) -> None:
        """Close connections."""
        ...
