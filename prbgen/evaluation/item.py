"""What was found on one pair, as a line of RESULTS/items.jsonl."""

from __future__ import annotations

from typing import Literal

from prbgen.schema import Record

Letter = Literal["A", "B"]
Outcome = Literal["win", "loss", "tie", "unscored"]


class ScoredItem(Record):
    """One pair under one condition.

    Scores are those of scalar kinds. A judge's `verdict_ab` is what it says with chosen as A, `verdict_ba` with chosen
    as B; the released protocol has one of them alone. `outcome` is a win where chosen is preferred, a tie where scores
    are equal or the orders disagree; `reason` says why it is unscored, and is null for all others. `posts_shown` of the
    asker's (under `shuffled`: a stranger's) posts were in the input; `truncated`: fewer than meant to be, as the input
    was too long. Lengths are in words. Null is what the data does not have.
    """

    pair_id: str | None
    id: str
    subset: str
    category: str | None
    strategy: str | None
    generator: str | None
    user_key: str
    score_chosen: float | None = None
    score_rejected: float | None = None
    verdict_ab: Letter | None = None
    verdict_ba: Letter | None = None
    outcome: Outcome
    reason: str | None = None
    truncated: bool = False
    posts_shown: int = 0
    words_chosen: int
    words_rejected: int

    @property
    def key(self) -> str:
        """What joins results on the same pair."""
        return self.pair_id or f"{self.subset}/{self.id}"

    @property
    def question_key(self) -> str:
        """What joins results on the same question, whoever wrote the answers."""
        return f"{self.subset}/{self.id}"
