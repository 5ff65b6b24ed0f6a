"""summary.json: the figures of all items, and what they are about."""

from __future__ import annotations

from collections.abc import Iterable

from prbgen.evaluation.conditions.prepared import Prepared
from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.journal import Journal
from prbgen.evaluation.metrics.figures import figures
from prbgen.evaluation.scorers.scorer import Scorer
from prbgen.evaluation.settings import Evaluation
from prbgen.evaluation.summary import UPPER_BOUND, Summary


def summary_of(
    evaluation: Evaluation,
    pairs: Prepared,
    scorer: Scorer,
    items: Iterable[ScoredItem],
    journal: Journal,
    planner_usd: float | None,
) -> Summary:
    """The summary of an evaluation that is complete; `planner_usd` is null where there was no planner, or no price."""
    return Summary(
        **dict(figures(items)),
        scorer=evaluation.scorer.name,
        condition=evaluation.condition,
        note=UPPER_BOUND if evaluation.condition == "oracle" else None,
        data=evaluation.data.data,
        split=pairs.split,
        posts=evaluation.posts,
        protocol=evaluation.scorer.protocol,
        planner=evaluation.planner.model.label if evaluation.planner else None,
        pairs=pairs.digest,
        model=scorer.facts,
        cost=scorer.cost,
        planner_usd=planner_usd,
        fingerprint=scorer.fingerprint,
        settings=evaluation.scorer.recorded,
        versions=journal.versions,
        scoring_seconds=round(journal.seconds, 3),
    )
