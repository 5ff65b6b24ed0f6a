"""What scoring came to, for scoring.json."""

from __future__ import annotations

from collections import Counter

from prbgen.downstream.best_of_n.score_settings import BestOfNScoring
from prbgen.downstream.candidates import CandidateRow, ScoreRow, kind_of
from prbgen.downstream.facts import Sampling, ScoringFacts
from prbgen.evaluation.journal import Journal
from prbgen.evaluation.scorers.scorer import Scorer
from prbgen.evaluation.summary import UPPER_BOUND


class ScoreCounts:
    """The numbers of candidates; `truncated` counts questions."""

    def __init__(self) -> None:
        self.scored = self.unscored = self.truncated = 0
        self.reasons = Counter[str]()

    def add(self, row: CandidateRow, line: ScoreRow) -> None:
        """Count the next question."""
        texts = [each.text for each in row.candidates]
        scored = sum(score is not None for score in line.scores)
        self.scored += scored
        self.unscored += sum(text is not None for text in texts) - scored
        self.truncated += line.truncated
        self.reasons.update(kind_of(reason) for reason in line.reasons if reason)


def scoring_facts(
    settings: BestOfNScoring,
    sampling: Sampling,
    scorer: Scorer,
    journal: Journal,
    counts: ScoreCounts,
    planner_usd: float | None,
) -> ScoringFacts:
    """All that is known of the scoring."""
    compares = {"opponents": settings.opponents} if settings.scorer.kind == "judge" else {}
    return ScoringFacts(
        scorer=settings.scorer.name,
        condition=settings.condition,
        note=UPPER_BOUND if settings.condition == "oracle" else None,
        posts=settings.posts,
        planner=settings.planner.model.label if settings.planner else None,
        answers=sampling.answers,
        model=scorer.facts,
        fingerprint=scorer.fingerprint,
        settings=settings.scorer.recorded | compares,
        scored=counts.scored,
        unscored=counts.unscored,
        truncated=counts.truncated,
        reasons=dict(sorted(counts.reasons.items(), key=lambda each: (-each[1], each[0]))),
        cost=scorer.cost,
        planner_usd=planner_usd,
        versions=journal.versions,
        scoring_seconds=round(journal.seconds, 3),
    )
