"""judging.json: what a judge says of all candidates."""

from __future__ import annotations

import math
import platform
from collections import Counter

from prbgen import __version__
from prbgen.downstream.best_of_n.judge_settings import JudgeSettings
from prbgen.downstream.candidates import CandidateRow, JudgementRow, kind_of
from prbgen.downstream.facts import Judging
from prbgen.downstream.means import mean_share
from prbgen.evaluation.llm_cost import cost_of
from prbgen.evaluation.scorers.llm_model import versions_for
from prbgen.evaluation.summary import Share
from prbgen.llm.coverage import COVERAGE_PROMPT, COVERAGE_STAGE
from prbgen.llm.ledger import Ledger
from prbgen.llm.templates import Prompts


class JudgingFigures:
    """Takes the judgements question by question."""

    def __init__(self) -> None:
        self._judged = 0
        self._reasons: Counter[str] = Counter()
        self._subsets: dict[str, None] = {}
        # Of each question with a judged candidate: mean quality, who asked, subset.
        self._qualities: list[float] = []
        self._users: list[str] = []
        self._subset_of: list[str] = []

    def add(self, row: CandidateRow, judgements: JudgementRow) -> None:
        """One more question."""
        self._subsets[row.subset] = None
        for candidate, judgement in zip(row.candidates, judgements.judgements, strict=True):
            if candidate.text is not None and judgement.reason is not None:
                self._reasons[kind_of(judgement.reason)] += 1
        known = [each.quality for each in judgements.judgements if each.quality is not None]
        if known:
            self._judged += len(known)
            self._qualities.append(math.fsum(known) / len(known))
            self._users.append(row.user_key)
            self._subset_of.append(row.subset)

    def judging(self, settings: JudgeSettings, prompts: Prompts, answers: str, ledger: Ledger) -> Judging:
        """All of them, once each has been added; `answers` is the hash of the candidates."""
        return Judging(
            judge=settings.model.label,
            prompt=prompts.digest(COVERAGE_PROMPT),
            answers=answers,
            judged=self._judged,
            unjudged=self._reasons.total(),
            reasons=dict(sorted(self._reasons.items())),
            quality=self._share(),
            by_subset={subset: self._share(subset) for subset in sorted(self._subsets)},
            cost=cost_of(ledger, COVERAGE_STAGE, settings.model),
            versions={"python": platform.python_version(), "prbgen": __version__, **versions_for(settings.model)},
        )

    def _share(self, subset: str | None = None) -> Share:
        places = [at for at, name in enumerate(self._subset_of) if subset in (None, name)]
        return mean_share([self._qualities[at] for at in places], [self._users[at] for at in places])
