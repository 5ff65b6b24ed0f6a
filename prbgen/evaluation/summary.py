"""What an evaluation comes to, as RESULTS/summary.json holds it."""

from __future__ import annotations

from pydantic import Field, JsonValue

from prbgen.evaluation.settings import Condition, Kind, Protocol
from prbgen.schema import Record

Interval = tuple[float, float]
UPPER_BOUND = "oracle: upper bound"


class Share(Record):
    """A share or mean of `n` cases with its 95 % interval; `value` is null where there are none, `ci95` where fewer
    than two users are behind it.
    """

    value: float | None
    ci95: Interval | None = None
    n: int = 0


class Group(Record):
    """A set of pairs in figures.

    `accuracy` is the share of wins among the scored ones: a tie is no win (the released rule); for `accuracy_half` it
    is half of one. `coverage` is the share that was scored, `bounds` the accuracy if all unscored ones were losses, or
    wins. `truncated` counts inputs that lost posts.
    """

    accuracy: Share
    accuracy_half: float | None
    n: int
    wins: int
    losses: int
    ties: int
    unscored: int
    coverage: float | None
    bounds: Interval | None
    truncated: int


class Macro(Record):
    """Means of accuracies: each subset, or category, counts the same. Groups without a scored pair are left out."""

    subset: float | None
    category: float | None


class Margins(Record):
    """score_chosen - score_rejected over the scored pairs; `standardised` is the mean over the standard deviation."""

    mean: float
    sd: float | None
    standardised: float | None
    quartiles: tuple[float, float, float]


class PositionBias(Record):
    """How far a judge goes by position: the share of verdicts that say A (.5: not at all), and among the pairs whose
    orders disagree the share that are A both times.
    """

    says_a: Share
    a_among_inconsistent: Share


class LengthBias(Record):
    """How far it goes by length: how often it prefers the longer answer, beside how often that one is `chosen`, and its
    accuracy where chosen is longer, where it is shorter (by more than 10 %), and at matched length. A tie is no
    preference.
    """

    longer_wins: Share
    chosen_longer: Share
    accuracy_longer: Share
    accuracy_shorter: Share
    accuracy_matched: Share


class Cost(Record):
    """What the calls of a scorer took, over all processes: `usd` is null where a price is unknown."""

    calls: int
    prompt_tokens: int | None
    reply_tokens: int | None
    usd: float | None


class ModelFacts(Record):
    """What is known of the model that scored: null is what cannot be known from here."""

    kind: Kind
    name: str
    parameters: int | None = None
    dtype: str | None = None
    device: str | None = None
    revision: str | None = None
    family: str | None = None


class Figures(Group):
    """All that follows from scored pairs; `accuracy` and the counts are over all of them.

    Of very many names of a kind the `by_*` have those with most pairs, `unlisted` counts the others. `reasons` counts
    why pairs are unscored, without what is particular to one (after a colon). `order_consistency` is the share of pairs
    judged in both orders on which these agree. `seed` and `resamples` are those of the intervals. What a kind of scorer
    does not have is null. `further` has what else `registry.METRICS` names.
    """

    by_subset: dict[str, Group]
    by_strategy: dict[str, Group]
    by_category: dict[str, Group]
    by_generator: dict[str, Group]
    unlisted: dict[str, int]
    macro: Macro
    margins: Margins | None
    order_consistency: float | None
    position_bias: PositionBias | None
    length_bias: LengthBias
    further: dict[str, Share] = Field(default_factory=dict)
    reasons: dict[str, int]
    users: int
    seed: int
    resamples: int


class Summary(Figures):
    """An evaluation, and what it is about.

    `note` marks an upper bound; `data` is what was evaluated, as the user named it, `pairs` a hash over its pairs and
    the texts in them: equal for equal data. `planner_usd` is null where no planner was asked, or its price is unknown;
    `fingerprint` is equal for the same model with the same settings, of which `settings` has those that are no fact of
    the model; of `versions` there are several where processes had others.
    """

    scorer: str
    condition: Condition
    note: str | None
    data: str
    split: str | None
    posts: int
    protocol: Protocol
    planner: str | None
    pairs: str
    model: ModelFacts
    cost: Cost | None
    planner_usd: float | None
    fingerprint: str
    settings: dict[str, JsonValue]
    versions: dict[str, str]
    scoring_seconds: float
