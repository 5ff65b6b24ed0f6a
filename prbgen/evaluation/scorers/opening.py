"""What a scorer is opened with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from prbgen.evaluation.scorers.scorer import Scorer
from prbgen.evaluation.settings import ScorerSettings
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster


@dataclass(frozen=True)
class Opening:
    """The settings, and what `open_scorer` is given; see there."""

    settings: ScorerSettings
    prompts: Prompts
    ledger: Path
    stack: AsyncExitStack
    stop: asyncio.Event
    traffic: Traffic
    say: Callable[[str], None]
    cluster: Cluster | None = None


# Raises PrbgenError where the scorer cannot be used. What it opens is closed by its own `close`.
Opener: TypeAlias = Callable[[Opening], Awaitable[Scorer]]
