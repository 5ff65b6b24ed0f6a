"""What an audit finds. All of it is written as JSON with these names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prbgen.personal_data.columns import PersonalKind
from prbgen.schema import Side

Verdict = Literal["clean", "leaks", "unclear"]


@dataclass(frozen=True)
class Shortcut:
    """How often a shallow model tells chosen from rejected: cross-validated accuracy on pairs, .5 by chance.

    Both are null where that cannot be measured; then `reason` says why.
    """

    accuracy: float | None
    ci95: tuple[float, float] | None
    reason: str | None = None


@dataclass(frozen=True)
class Telling:
    """A term or a feature by which the sides differ.

    `chosen`, `rejected`: in how many pairs only (a term) or more of it (a feature) stands on that side. `z`: how far
    that is from chance, in standard deviations; positive where it favours `chosen`. `by_chance`: of as many terms and
    features as were looked at, one in twenty sets without any difference has one that goes as far.
    """

    kind: Literal["term", "feature"]
    name: str
    favours: Side
    chosen: int
    rejected: int
    z: float
    by_chance: bool


@dataclass(frozen=True)
class Histogram:
    """Counts in bins; bin i is from edges[i] to below edges[i + 1], the last one includes its end."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Lengths:
    """Words in the answers, and of `chosen` over `rejected` (ratio; without the pairs whose `rejected` has no words).

    `chosen` and `rejected` have the same edges. `longer_chosen`: in how many pairs it is longer.
    """

    chosen: Histogram
    rejected: Histogram
    ratio: Histogram
    median_chosen: float
    median_rejected: float
    median_ratio: float | None
    longer_chosen: int
    longer_rejected: int
    equal: int


@dataclass(frozen=True)
class Group:
    """A category within a subset (null: the data names none), and its pairs."""

    subset: str
    category: str | None
    pairs: int


@dataclass(frozen=True)
class Twins:
    """Two questions that are nearly the same, by the ids of their rows (`one` came first), and how alike they are.

    `similarity`: Jaccard of their passages of five characters; from .8 on they count as nearly the same.
    """

    one: str
    one_subset: str
    other: str
    other_subset: str
    similarity: float


@dataclass(frozen=True)
class Duplicates:
    """Nearly equal questions, and answers that stand under several questions.

    `within`, `across`: questions that nearly repeat an earlier one of their own subset, and one of another (so many
    would have to go). `examples` has the most alike of them. Pairs on the same question, by several strategies or
    generators, are no repeats. `same_answers`: answers that pairs on different questions share letter by letter (but
    for case and white space).
    """

    within: int
    across: int
    same_answers: int
    examples: tuple[Twins, ...]


@dataclass(frozen=True)
class Overlap:
    """What is also in another split or dataset, by name: so many users and questions of this one.

    Users are known by posts of 200 characters or more that profiles share; null where one side has no profiles.
    Questions are known by their text. `examples`: ids of rows with either.
    """

    other: str
    users: int | None
    questions: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Personal:
    """Text that looks like personal data: in how many rows of a column, and where the first ones are (ids).

    The text itself is not given: a report must not publish it again.
    """

    kind: PersonalKind
    column: str
    rows: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Cost:
    """What making the pairs took.

    `usd_a_pair` is null where a price is not known or several variants share the money; then `reason` says so.
    """

    usd_a_pair: float | None
    reason: str | None = None


@dataclass(frozen=True)
class Making:
    """How the pairs of a run came about, over all attempts; `pass_rates` by check, null where nothing could be told.

    `passed` of `attempts` passed all checks, `undecided` failed none, but could not be told in all. `coverage_gap`:
    mean over pairs with a judged rubric, null: none is.
    """

    attempts: int
    passed: int
    undecided: int
    pass_rates: dict[str, float | None]
    coverage_gap: float | None
    cost: Cost


@dataclass(frozen=True)
class Audit:
    """One set of pairs.

    `data` is a hash of it. The `identical` pairs, whose answers are the same, say nothing: no shortcut has them.
    `pairs_needed` for a clear verdict is null where it is clear, or nothing could be measured. `users` is null where
    nothing tells who asked: questions then stand for them. `making` is null for what is no run, `empty_profiles` where
    the data has no profiles, `overlap` where no other split was given.
    """

    name: str
    data: str
    n: int
    identical: int
    users: int | None
    questions: int
    shortcut: dict[str, Shortcut]
    verdict: Verdict
    pairs_needed: int | None
    telling: tuple[Telling, ...]
    lengths: Lengths
    groups: tuple[Group, ...]
    duplicates: Duplicates
    empty_profiles: int | None
    personal: tuple[Personal, ...]
    overlap: Overlap | None
    making: Making | None
