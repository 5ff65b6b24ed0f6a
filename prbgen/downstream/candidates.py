"""The records of answers that a policy wrote, and what became of them: one line a question, in the order of the data.

candidates.jsonl, scores.jsonl and judgements.jsonl have the same questions in the same order, and their lists an entry
for each candidate, in order: so they are read side by side, and nothing is kept in memory.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from prbgen.schema import Record


def kind_of(reason: str | None) -> str:
    """A reason without what is particular to one case, which comes after a colon."""
    return (reason or "no reason is known").partition(": ")[0]


class Candidate(Record):
    """An answer that a policy wrote to a question.

    `text` is null where there is none, and `reason` says why (a refusal by the provider's filter, an empty reply);
    `truncated`: cut off at its maximum length.
    """

    text: str | None
    truncated: bool = False
    reason: str | None = None


class CandidateRow(Record):
    """A question and the candidates for it: fewer than asked for (none, say) where `reason` says why.

    `key` is SUBSET/ID; `user_key` says who asked; `posts_shown` of the asker's posts were in the prompt, null where
    nothing was asked.
    """

    key: str
    id: str
    subset: str
    category: str | None
    user_key: str
    posts_shown: int | None
    candidates: tuple[Candidate, ...]
    reason: str | None = None


class ScoreRow(Record):
    """What a reward model says of a question's candidates: a score for each, null where there is none, and then why.

    Higher is better, for one question; scores of different questions are not compared. `posts_shown` is the fewest that
    were shown with any of the candidates, null where nothing was asked; `truncated`: these are fewer than meant to be,
    as the input was too long.
    """

    key: str
    scores: tuple[float | None, ...]
    reasons: tuple[str | None, ...]
    posts_shown: int | None
    truncated: bool


class Judgement(Record):
    """How much of the asker's rubric an answer covers: 0, 1 or 2 for each aspect, in their order.

    `quality` is their sum over the greatest possible one (0 to 1). Both are empty where `reason` says why.
    """

    scores: tuple[Literal[0, 1, 2], ...] = ()
    quality: float | None = Field(default=None, ge=0, le=1)
    reason: str | None = None


class JudgementRow(Record):
    """What the rubric judge says of a question's candidates: one for each."""

    key: str
    judgements: tuple[Judgement, ...]
