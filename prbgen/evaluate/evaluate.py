"""One evaluation: pairs in; items.jsonl, summary.json and a journal of scores out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

from prbgen.evaluate.conditions.planner import Planner, planned
from prbgen.evaluate.conditions.prepared import prepared
from prbgen.evaluate.journal import Journal
from prbgen.evaluate.results import Results
from prbgen.evaluate.scorers import open_scorer
from prbgen.evaluate.scoring import Scoring, Tally
from prbgen.evaluate.settings import Evaluation
from prbgen.evaluate.summarise import summary_of
from prbgen.evaluate.summary import Summary
from prbgen.llm.templates import Prompts
from prbgen.run import as_line, whole_file


async def evaluate(
    evaluation: Evaluation,
    results: Results,
    prompts: Prompts,
    *,
    stop: asyncio.Event,
    tally: Tally,
    say: Callable[[str], None],
) -> Summary:
    """Evaluate into a folder; calling again goes on where an earlier call stopped.

    Raises:
        PrbgenError: the data, the settings or the model cannot be used, or the model failed on all of the first pairs.
        InterruptError: `stop` was set.
    """
    settings, traffic = evaluation.scorer, tally.traffic
    async with AsyncExitStack() as stack:
        stack.enter_context(results.locked())
        tally.stage = "Reading the pairs"
        pairs = stack.enter_context(prepared(evaluation.data, evaluation.condition, evaluation.posts, results.folder))
        journal = stack.enter_context(Journal(results.journal))
        journal.begin(_identity(evaluation, pairs.split))
        planner_usd = None
        if evaluation.planner:
            tally.stage = "Inferring rubrics"
            planner = Planner(evaluation.planner.model, evaluation.planner.ledger, prompts, settings.limits, say)
            plan = planned(pairs, planner, results.folder, stop=stop, traffic=traffic)
            done = await stack.enter_async_context(plan)
            pairs, planner_usd = done.pairs, done.usd
        tally.stage = "Getting the model ready"
        scorer = await open_scorer(settings, prompts, results.ledger, stack, stop=stop, traffic=traffic, say=say)
        scoring = Scoring(evaluation, prompts, pairs, scorer, journal, tally)
        await scoring.run(stop)
        with whole_file(results.items_file) as file:
            for item in scoring.items():
                file.write(as_line(item))
        summary = summary_of(evaluation, pairs, scorer, results.items(), journal, planner_usd)
        results.write(summary)
        return summary


def _identity(evaluation: Evaluation, split: str | None) -> dict[str, object]:
    """What a folder of results is about: the rest may grow or change."""
    return {
        "data": evaluation.data.data,
        "split": split,
        "scorer": evaluation.scorer.name,
        "condition": evaluation.condition,
        "posts": evaluation.posts,
        "protocol": evaluation.scorer.protocol,
        "planner": evaluation.planner.model.label if evaluation.planner else None,
    }
