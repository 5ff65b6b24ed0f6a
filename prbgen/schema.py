"""The records that flow from stage to stage: the only language between them."""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

RubricKind = Literal["gold", "extracted", "inferred"]
# One of `registry.STRATEGIES`: recipes are held to that.
StrategyName: TypeAlias = str
Side = Literal["chosen", "rejected"]
Stage = Literal["source", "rubric", "pair", "check"]
Outcome = Literal["pass", "fail", "unknown"]
Round = Literal["quality", "blind", "rubric"]
Shown = Literal["A", "B"]
ItemKind = Literal["pair", "gold", "repeat"]

SUBSETS = ("Art_and_Entertainment", "Lifestyle_and_Personal_Development", "Society_and_Culture")


class Record(BaseModel):
    """A value: it never changes, and it has no fields but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Post(Record):
    """One earlier post of the asker. `category` is the site that it was posted on, null where unknown."""

    category: str | None
    id: str
    text: str


class RubricAspect(Record):
    """One thing that this asker wants of an answer.

    `evidence` quotes the narrative (null where there is none, as for an inferred aspect); `reason` says why it matters.
    """

    aspect: str
    evidence: str | None
    reason: str | None


class Question(Record):
    """One LaMP-QA row, with where it came from and who asked (`user_key`).

    `profile` is in source order, without the `own_posts_dropped` posts that repeat the question's own post.
    `rubric_aspects` and `narrative` hold the scoring standard and are null where the row has none.
    """

    id: str
    question: str
    profile: tuple[Post, ...]
    rubric_aspects: tuple[RubricAspect, ...] | None
    narrative: str | None
    category: str | None
    subset: str
    split: str
    user_key: str
    own_posts_dropped: int = 0


class CutPost(Record):
    """A post among the top ones that the token budget shortened (`tokens_kept` > 0) or left out (0)."""

    id: str
    tokens: int
    tokens_kept: int


class RankedProfile(Record):
    """A profile by relevance to its question.

    `posts` are all of them, most relevant first; `shown` are those a prompt gets (the last may be shortened);
    `cut` is what the token budget took away from the top ones.
    """

    posts: tuple[Post, ...]
    shown: tuple[Post, ...]
    cut: tuple[CutPost, ...]


class Rubric(Record):
    """What the asker wants. `aspects_dropped` counts extracted aspects whose evidence is no quote of the narrative."""

    kind: RubricKind
    aspects: tuple[RubricAspect, ...]
    model: str | None = None
    aspects_dropped: int = 0


class Check(Record):
    """What one check found on a pair, or on one side of it: `unknown` is neither pass nor fail.

    `scores` are a judge's, of which `figure` is made: for `quality` factuality, relevance and helpfulness (1 to 5), for
    `coverage` one for each aspect (0, 1, 2).
    """

    name: str
    side: Side | None
    outcome: Outcome
    figure: float | None = None
    detail: str | None = None
    scores: tuple[int, ...] = ()


class Provenance(Record):
    """How a pair came to be: enough to make it again. Holds no time, path or machine.

    `judge` is null where no model judged the pair; `earlier_checks` are those of the attempts before, which failed.
    """

    subset: str
    split: str
    rubric_kind: RubricKind
    rubric_model: str | None
    aspects_dropped: int
    rejected_aspects: tuple[RubricAspect, ...]
    rejected_from: str | None
    ranker: str
    posts_shown: tuple[str, ...]
    posts_cut: tuple[CutPost, ...]
    own_posts_dropped: int
    word_limit: int
    attempt: int
    prompts: dict[str, str]
    calls: dict[str, tuple[str, ...]]
    judge: str | None = None
    earlier_checks: tuple[tuple[Check, ...], ...] = ()


class Pair(Record):
    """Two answers to one question, told apart by the asker's rubric alone. The released columns come first."""

    id: str
    question: str
    profile: tuple[Post, ...]
    rubric_aspects: tuple[RubricAspect, ...]
    narrative: str | None
    category: str | None
    chosen: str
    rejected: str
    pair_id: str
    user_key: str
    strategy: StrategyName
    generator: str
    checks: tuple[Check, ...]
    provenance: Provenance


class Reject(Record):
    """An item that did not get through: at which stage, why, and after how many attempts.

    `where` names file and line or row for a fault of the source; `id` is null where the row has no readable one.
    `strategy` and `generator` say which pair did not come to be, and are null for a fault of the source. `checks` are
    those of the last attempt, `earlier_checks` those of the attempts before; `chosen` and `rejected` are the answers of
    the last one, null where it has none.
    """

    id: str | None
    subset: str | None
    stage: Stage
    reasons: tuple[str, ...]
    attempts: int = 0
    where: str | None = None
    checks: tuple[Check, ...] = ()
    strategy: StrategyName | None = None
    generator: str | None = None
    earlier_checks: tuple[tuple[Check, ...], ...] = ()
    chosen: str | None = None
    rejected: str | None = None


class PreferencePair(Record):
    """A pair of any origin: prbgen's own, the released dataset's, or plain chosen / rejected data.

    Null is what the data does not have: `profile` (an empty one is ()), `pair_id`, `strategy`, `generator`, and
    `calls`, how many model calls `chosen` and `rejected` took. `id` falls back to the place of the row. `subset` is ""
    where there are none. Pairs of one `user_key` are by one user or, where nothing tells who asked (`user_known` is
    false), on one question.
    """

    id: str
    pair_id: str | None
    question: str
    chosen: str
    rejected: str
    profile: tuple[Post, ...] | None
    rubric_aspects: tuple[RubricAspect, ...] | None
    narrative: str | None
    category: str | None
    subset: str
    split: str
    user_key: str
    strategy: str | None = None
    generator: str | None = None
    calls: tuple[int, int] | None = None
    user_known: bool = True


class Rating(Record):
    """What one rater answered to one question about one item.

    `item` is the record that was rated, `pair_id` the pair that it shows (for a gold item: whose question it shows);
    `pair_id` and `kind` are null where the round has no such item.
    `question` is its name without the answer that it asks about, which is `shown` ("A" or "B", null where it asks about
    neither or both). `label` says what that answer is, or what `value` "A" or "B" stands for; null for gold items.
    `value` is null for "can't tell". `submitted_at` is in UTC, null where nothing tells the time. `gone` tells a
    rating that the rater has replaced or withdrawn since; `flag` why a rating cannot be what it says, null if it can.
    """

    round: Round
    pair_id: str | None
    item: str
    kind: ItemKind | None
    rater: str
    senior: bool
    question: str
    shown: Shown | None
    label: Literal["chosen", "rejected", "equal"] | None
    value: int | str | tuple[int, ...] | None
    submitted_at: str | None
    gone: Literal["replaced", "withdrawn"] | None = None
    flag: str | None = None


class Verdict(Record):
    """Whether people have validated a pair, and by what.

    `reasons` say why not, and are empty for a validated pair. Marks are from 1 to 5, null where nobody gave them:
    quality is the median over raters of their means over factuality, relevance and helpfulness, of the raters for whom
    two of these questions or more count (all of them, where fewer are asked); adherence is the median over raters of
    their marks. `votes` count who said that chosen, that rejected, or that neither suits
    the asker better. `raters_quality` and `raters_rubric` are how many people's answers that rests on; in the rounds
    that `adjudicated` names a senior rater's answers stand in their place.
    """

    pair_id: str
    validated: bool
    reasons: tuple[str, ...]
    quality_chosen: float | None
    quality_rejected: float | None
    adherence_chosen: float | None
    adherence_rejected: float | None
    votes: tuple[int, int, int]
    raters_quality: int
    raters_rubric: int
    adjudicated: tuple[Round, ...] = ()


def pair_id(subset: str, question_id: str, strategy: StrategyName, generator: str) -> str:
    """The name of a pair, by which everything is joined. Subsets may use the same question id, so it counts too."""
    return blake2b("\x1f".join((subset, question_id, strategy, generator)).encode(), digest_size=8).hexdigest()
