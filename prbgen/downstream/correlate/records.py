"""What `prbgen correlate` found: how far benchmarks rank reward models as results downstream do."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from prbgen.downstream.correlate.coefficients import Metric
from prbgen.evaluation.summary import Interval
from prbgen.schema import Record

Verdict = Literal["alike", "opposite", "open"]
SideKind = Literal["evaluation", "best_of_n", "policies", "scores"]


class Coefficient(Record):
    """One metric: its 95 % interval over items, its one-sided permutation p, and its mean over random pairings.

    All are null where it is undefined, `ci95` also where there are no items to resample or too many resamples leave it
    undefined; `reason` says why.
    """

    value: float | None
    ci95: Interval | None = None
    p: float | None = None
    chance: float | None = None
    reason: str | None = None


class Coefficients(Record):
    """The metrics: see formulas.py for their definitions; `further` has what else `registry.COEFFICIENTS` names."""

    spearman: Coefficient
    kendall: Coefficient
    weighted_tau: Coefficient
    pearson: Coefficient
    ndcg_linear: Coefficient
    ndcg_exponential: Coefficient
    rbo: Coefficient
    top1: Coefficient
    top3: Coefficient
    further: dict[str, Coefficient] = Field(default_factory=dict)

    def of(self, name: Metric) -> Coefficient:
        """The one of this name."""
        found: Coefficient = self.further[name] if name in self.further else getattr(self, name)
        return found


class ModelScore(Record):
    """A model's score, with its interval by resampling users; `items` are pairs or questions, null if not known."""

    value: float
    ci95: Interval | None = None
    items: int | None = None


class ModelScores(Record):
    """A reward model on both sides."""

    model: str
    benchmark: ModelScore
    downstream: ModelScore


class SideFacts(Record):
    """One of the two sides: `label` names it, `measure` says what its scores are. `left_out` are its models that the
    other side does not have; `users`, and the `items` of the model with fewest and with most of them, are null where
    there are no items.
    """

    label: str
    kind: SideKind
    measure: str
    users: int | None
    items: tuple[int, int] | None = None
    left_out: tuple[str, ...] = ()


class Correlation(Coefficients):
    """One benchmark against one result downstream, over the models that are on both sides.

    `verdict`: both rank them alike, the other way round, or neither is shown: see `verdict_of`. `conclusive`: alike.
    `p_opposite` is how often a random pairing has a Spearman as low or lower; `notes` say what to keep in mind.
    `p_method`: exact over all orders of the models, or by draws; `permutations` is how many. `needed` is the least
    Spearman that would be conclusive with so many models, null where none is. `resampled`: the sides whose users are
    resampled for intervals, null where neither has items, or one user is behind all of them.
    """

    benchmark: SideFacts
    downstream: SideFacts
    n_models: int
    verdict: Verdict
    conclusive: bool
    sentence: str
    notes: tuple[str, ...]
    models: tuple[ModelScores, ...]
    p_method: Literal["exact", "draws"]
    permutations: int
    p_opposite: float | None
    needed: float | None
    resampled: Literal["both", "benchmark", "downstream"] | None
    resamples: int
    seed: int


class Difference(Record):
    """Two benchmarks against the same result downstream, by one metric over the models that all three have:
    second - first.

    `p` is two-sided, by swapping the two benchmarks' ranks of each model; `p_holm` has Holm's correction over the pairs
    of benchmarks. Both are null for Pearson, whose scores cannot be swapped, and where a metric is undefined.
    """

    metric: Metric
    downstream: str
    first: str
    second: str
    n_models: int
    value: float | None
    ci95: Interval | None = None
    p: float | None = None
    p_holm: float | None = None
    p_method: Literal["exact", "draws"] | None = None
    reason: str | None = None


class Correlations(Record):
    """Each benchmark against each result downstream."""

    comparisons: tuple[Correlation, ...]
    differences: tuple[Difference, ...]
