"""What validation finds, as RUN/annotation/agreement.json holds it."""

from __future__ import annotations

from typing import Literal

from prbgen.recipe import ValidationSettings
from prbgen.schema import Record, Round

Level = Literal["nominal", "ordinal"]
GateState = Literal["pass", "fail", "unknown"]


class Figure(Record):
    """A number, with its 95 % interval and how many cases it rests on. What is not known is null, and `reason` why."""

    value: float | None
    ci95: tuple[float, float] | None = None
    n: int = 0
    reason: str | None = None


class RaterFound(Record):
    """A rater in a round: how carefully they worked, and why they are left out (nothing: they count).

    `repeats_same` is the share of answers to items rated twice that were the same both times.
    """

    round: Round
    rater: str
    items: int
    gold_right: int
    gold_done: int
    median_seconds: float | None
    repeats_same: float | None
    left_out: tuple[str, ...]


class Coefficients(Record):
    """How far raters agree on what they saw.

    `units` were rated by two raters or more: an answer as shown for a question about each answer, an item for one
    about both, an aspect of an answer for a question about aspects. `alpha` is Krippendorff's, `raw` the share of pairs
    of raters who say the same of a unit (raw agreement), `ac1` Gwet's. `intra_rater` is the share of answers of a rater
    to an item shown twice that were the same, its interval clustered by rater; null in a subset.
    """

    raters: int
    units: int
    ratings: int
    alpha: Figure
    raw: Figure
    ac1: Figure
    intra_rater: Figure | None


class Agreement(Record):
    """Agreement on a question of a round, in one subset or in all (""): of everybody, and of the raters that count."""

    round: Round
    question: str
    subset: str
    level: Level
    everybody: Coefficients
    counted: Coefficients


class Equivalence(Record):
    """Two one-sided tests (TOST) that a mean difference lies within +-`margin`: paired, clustered by user.

    `equivalent` if `p` < .05, which is when `ci90` lies within the margin; null, as `p` and `ci90`, where it cannot be
    tested: `reason` says why.
    """

    margin: float
    p: float | None
    ci90: tuple[float, float] | None
    equivalent: bool | None
    users: int
    reason: str | None = None


class Portrait(Record):
    """A set of rated pairs in figures; means over pairs, intervals clustered by user.

    Quality and adherence are in marks (1 to 5), `quality_gap` and `adherence_gap` are chosen less rejected; `questions`
    has the gap of each question that quality is made of. `balance` is the share of pairs whose chosen answer was rated
    better in general quality less that of those whose rejected one was. Coverage is the share of aspects that raters
    tick; `direction` the share of pairs of which most raters say that chosen suits the asker better. `words_gap` is in
    words.
    """

    pairs: int
    users: int
    quality_chosen: Figure
    quality_rejected: Figure
    quality_gap: Figure
    questions: dict[str, Figure]
    equivalence: Equivalence
    balance: Figure
    adherence_chosen: Figure
    adherence_rejected: Figure
    adherence_gap: Figure
    coverage_chosen: Figure
    coverage_rejected: Figure
    direction: Figure
    words_gap: Figure


class Blind(Record):
    """How well people tell chosen from the asker's posts alone: the share of pairs of which most say so, and of single
    votes; "equally" is not right.
    """

    pairs: Figure
    votes: Figure


class JudgeFound(Record):
    """How far the automatic judge and people agree: Cohen's kappa, weighted for marks."""

    question: str
    weights: Literal["none", "quadratic"]
    kappa: Figure


class Gate(Record):
    """What has to hold before the data is published: in one word, in which state, and why in a sentence."""

    name: str
    state: GateState
    said: str


class Report(Record):
    """What validation found.

    `inputs` tells what it is about: a hash over pairs, ratings and settings. `settings` are the
    thresholds that were used. `uncounted` are ratings that do not count,
    by round and reason; `verdicts` counts pairs by reason for not being validated, "validated" for those that are;
    `subsets` {subset: (validated, pairs)}. Everything is over the raters that count, unless it says otherwise.
    """

    inputs: str
    settings: ValidationSettings
    simulated: bool
    raters: tuple[RaterFound, ...]
    uncounted: dict[Round, dict[str, int]]
    agreement: tuple[Agreement, ...]
    rated: Portrait
    validated: Portrait
    blind: Blind | None
    judge: tuple[JudgeFound, ...]
    verdicts: dict[str, int]
    subsets: dict[str, tuple[int, int]]
    gates: tuple[Gate, ...]
