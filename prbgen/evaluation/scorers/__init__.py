"""Reward models of all kinds behind one face; see scorer.py. A kind is one file here and one line in registry.py."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.errors import InputError
from prbgen.evaluation.scorers.opening import Opener, Opening
from prbgen.evaluation.scorers.scorer import Scorer
from prbgen.evaluation.settings import ScorerSettings
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.registry import SCORERS, load

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster


async def open_scorer(
    settings: ScorerSettings,
    prompts: Prompts,
    ledger: Path,
    stack: AsyncExitStack,
    *,
    stop: asyncio.Event,
    traffic: Traffic,
    say: Callable[[str], None],
    cluster: Cluster | None = None,
) -> Scorer:
    """The scorer that the settings name, ready until `stack` ends.

    Args:
        settings: Which, and how to run it.
        prompts: The words for an LLM.
        ledger: Where calls to an LLM go on record.
        stack: Closes it.
        stop: When it is set no new call is begun.
        traffic: Counts calls to an LLM.
        say: Gets what the user should know of the model.
        cluster: Whose workers do it; null: this process does.

    Raises:
        PrbgenError: it cannot be used.
    """
    kind = SCORERS[settings.kind]
    if cluster and not kind.on_cluster:
        raise InputError(f"--ray says nothing to a {settings.kind} scorer: its server does the work")
    opens: Opener = load(kind.opens)
    scorer = await opens(Opening(settings, prompts, ledger, stack, stop, traffic, say, cluster))
    stack.push_async_callback(scorer.close)
    return scorer
