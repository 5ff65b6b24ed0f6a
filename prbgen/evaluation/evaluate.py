"""One evaluation: pairs in; items.jsonl, summary.json and a journal of scores out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prbgen.evaluation.conditions.message import asked
from prbgen.evaluation.conditions.pair import SHOW_POSTS
from prbgen.evaluation.conditions.planner import Planner, planned
from prbgen.evaluation.conditions.prepared import Prepared, prepared
from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.journal import Journal
from prbgen.evaluation.outcome import item_of, lacking_item, outcome_of
from prbgen.evaluation.results import Results
from prbgen.evaluation.scorers import open_scorer
from prbgen.evaluation.scorers.scorer import Asked, Found
from prbgen.evaluation.scoring import Scoring, Tally
from prbgen.evaluation.settings import Evaluation
from prbgen.evaluation.summarise import summary_of
from prbgen.evaluation.summary import Summary
from prbgen.llm.templates import Prompts
from prbgen.run import as_line, whole_file

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster


@dataclass
class PairTally(Tally):
    """With the pairs that were won so far."""

    wins: int = 0

    def count(self, found: Found) -> None:
        """One more pair."""
        super().count(found)
        self.wins += outcome_of(found) == "win"


async def evaluate(
    evaluation: Evaluation,
    results: Results,
    prompts: Prompts,
    *,
    stop: asyncio.Event,
    tally: PairTally,
    say: Callable[[str], None],
    cluster: Cluster | None = None,
) -> Summary:
    """Evaluate into a folder; calling again goes on where an earlier call stopped. With a `cluster`, its workers score.

    Raises:
        PrbgenError: the data, the settings or the model cannot be used, or the model failed on all of the first pairs.
        InterruptError: `stop` was set.
    """
    settings, traffic = evaluation.scorer, tally.traffic
    async with AsyncExitStack() as stack:
        stack.enter_context(results.locked())
        tally.stage = "Reading the pairs"
        reading = prepared(evaluation.data, evaluation.condition, evaluation.posts, results.folder, say=say)
        pairs = stack.enter_context(reading)
        journal = stack.enter_context(Journal(results.journal))
        journal.begin(_identity(evaluation, pairs.split))
        planner_usd = None
        if evaluation.planner:
            tally.stage = "Inferring rubrics"
            asking = evaluation.planner
            planner = Planner(asking.model, asking.ledger, prompts, settings.limits, say, cluster)
            plan = planned(pairs, planner, results.folder, stop=stop, traffic=traffic)
            done = await stack.enter_async_context(plan)
            pairs, planner_usd = done.pairs, done.usd
        tally.stage = "Getting the model ready"
        scorer = await open_scorer(
            settings, prompts, results.ledger, stack, stop=stop, traffic=traffic, say=say, cluster=cluster
        )
        tally.total = pairs.count
        scoring = Scoring(settings, scorer, journal, tally)
        await scoring.run(_asked(evaluation, pairs, prompts, tally), stop)
        with whole_file(results.items_file) as file:
            for item in _items(evaluation, pairs, scoring):
                file.write(as_line(item))
        summary = summary_of(evaluation, pairs, scorer, results.items(), journal, planner_usd)
        results.write(summary)
        return summary


def _asked(evaluation: Evaluation, pairs: Prepared, prompts: Prompts, tally: Tally) -> Iterator[Asked]:
    """The pairs that a model can be asked about."""
    for place, pair in enumerate(pairs):
        if pair.lacking:
            tally.unscored += 1
        else:
            yield asked(place, pair, evaluation.condition, prompts)


def _items(evaluation: Evaluation, pairs: Prepared, scoring: Scoring) -> Iterator[ScoredItem]:
    """What each pair came to, in their order."""
    for place, pair in enumerate(pairs):
        most = len(pair.posts) if evaluation.condition in SHOW_POSTS else 0
        yield lacking_item(pair) if pair.lacking else item_of(pair, scoring.found(place), most)


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
