"""What a process asks of models, for whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Hold:
    """A model that gets no calls for `seconds` more, and why; 0: it gets calls, but has not given a reply so far."""

    model: str
    reason: str
    seconds: float

    def __str__(self) -> str:
        if not self.seconds:
            return f"no reply from {self.model} so far ({self.reason})"
        return f"{self.model} is paused ({self.reason}): on in {self.seconds:.0f} s"


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

    `holds` tells which models are paused at this moment or have given nothing but faults, `batches` what providers work
    on, `workers` how many there are on a cluster ("": none are wanted).
    """

    sent: int = 0
    recorded: int = 0
    usd: float = 0.0
    holds: Callable[[], list[Hold]] = list
    batches: tuple[OpenBatch, ...] = ()
    workers: Callable[[], str] = str

    def show_workers(self, told: Callable[[], str]) -> None:
        """Have `told` say how many workers there are."""
        self.workers = told
