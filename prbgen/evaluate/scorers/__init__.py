"""Reward models of all kinds behind one face; see scorer.py."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from prbgen.evaluate.scorers.scorer import Scorer
from prbgen.evaluate.settings import ScorerSettings
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic


async def open_scorer(
    settings: ScorerSettings,
    prompts: Prompts,
    ledger: Path,
    stack: AsyncExitStack,
    *,
    stop: asyncio.Event,
    traffic: Traffic,
    say: Callable[[str], None],
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

    Raises:
        PrbgenError: it cannot be used.
    """
    scorer: Scorer
    if settings.kind == "scalar":
        from prbgen.evaluate.scorers.scalar.scalar_scorer import ScalarScorer

        scalar = await asyncio.to_thread(ScalarScorer.load, settings)
        if scalar.remark:
            say(scalar.remark)
        scorer = scalar
    elif settings.kind == "http":
        from prbgen.evaluate.scorers.http import HttpScorer

        scorer = HttpScorer(settings)
    elif settings.kind == "pooling":
        from prbgen.evaluate.scorers.pooling import PoolingScorer

        scorer = await PoolingScorer.open(settings, stop=stop)
    else:
        from prbgen.evaluate.scorers.judge import Judge
        from prbgen.evaluate.scorers.llm_model import model_of
        from prbgen.evaluate.scorers.rate import Rate
        from prbgen.llm.budget import refuse_unknown
        from prbgen.llm.ledger import Ledger

        refuse_unknown(settings.limits, {"--scorer": model_of(settings)}, "with --option KEY=VALUE")
        kind = Judge if settings.kind == "judge" else Rate
        calls = stack.enter_context(Ledger(ledger))
        scorer = kind.open(settings, prompts, calls, stop=stop, traffic=traffic)
    stack.push_async_callback(scorer.close)
    return scorer
