"""What a process asks of models, for whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Hold:
    """A model that gets no calls for `seconds` more, and why."""

    model: str
    reason: str
    seconds: float


@dataclass(frozen=True)
class OpenBatch:
    """A batch that is with its provider: `done` of `total` calls, since when (UTC).

    `trouble` is why the provider cannot be asked about it at this moment.
    """

    provider: str
    model: str
    done: int
    total: int
    since: datetime
    trouble: str | None = None


@dataclass
class Traffic:
    """Counts of this process: calls sent, replies taken from the ledger, USD spent as far as prices are known.

    `holds` tells which models are paused at this moment, `batches` what providers work on.
    """

    sent: int = 0
    recorded: int = 0
    usd: float = 0.0
    holds: Callable[[], list[Hold]] = list
    batches: tuple[OpenBatch, ...] = ()
