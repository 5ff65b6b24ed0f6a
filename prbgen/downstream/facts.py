"""What is known of a policy's answers as a whole: who wrote, scored and judged them, and what it took.

`answers` is a hash over all candidates, in order: what was scored or judged is about these very answers, or stale.
"""

from __future__ import annotations

from pydantic import JsonValue

from prbgen.evaluation.settings import Condition
from prbgen.evaluation.summary import Cost, ModelFacts, Share
from prbgen.schema import Record


class Sampling(Record):
    """sampling.json: `n` candidates were asked for, for each of `questions` questions.

    `data` is as the user named it, `split` null where it has none; `settings` are what the policy was asked with
    (temperature, top_p, max_tokens ...); `candidates` have a text, `missing` have none, and `reasons` counts why.
    `reward_model` (KIND:MODEL) is the one that the policy was trained with, null if it was not.
    """

    data: str
    split: str | None
    policy: str
    condition: Condition
    posts: int
    n: int
    settings: dict[str, JsonValue]
    questions: int
    candidates: int
    missing: int
    truncated: int
    reasons: dict[str, int]
    answers: str
    cost: Cost | None
    reward_model: str | None = None
    versions: dict[str, str]


class ScoringFacts(Record):
    """scoring.json: what of a reward model, and of how it was asked, is known; see `Summary` of an evaluation.

    `scored` and `unscored` count candidates that have a text, `truncated` questions that lost posts.
    """

    scorer: str
    condition: Condition
    note: str | None
    posts: int
    planner: str | None
    answers: str
    model: ModelFacts
    fingerprint: str
    settings: dict[str, JsonValue]
    scored: int
    unscored: int
    truncated: int
    reasons: dict[str, int]
    cost: Cost | None
    planner_usd: float | None
    versions: dict[str, str]
    scoring_seconds: float


class Judging(Record):
    """judging.json: who judged by the askers' rubrics, with which words (`prompt`, a hash of the template).

    `judged` and `unjudged` count candidates that have a text, `reasons` why they are not judged. `quality` is the mean
    over questions of the mean quality of their judged candidates (0 to 1), its interval by resampling users;
    `by_subset` likewise.
    """

    judge: str
    prompt: str
    answers: str
    judged: int
    unjudged: int
    reasons: dict[str, int]
    quality: Share
    by_subset: dict[str, Share]
    cost: Cost
    versions: dict[str, str]


class Point(Record):
    """Best-of-`k`: means over the `questions` that have k candidates or more with a score and a quality.

    `quality` is that of the candidate which the reward model prefers of k, expected over all choices of k; `random`
    that of any candidate, `oracle` that of the best of k by the judge. `recovered` is the share of the headroom
    (oracle - random) that the reward model recovers, (quality - random) / (oracle - random), of the means; null where
    there is none. `n` of each is the number of questions.
    """

    k: int
    quality: Share
    random: Share
    oracle: Share
    recovered: Share
    questions: int


class Curve(Record):
    """The curve of one reward model under one condition: see `ScoringFacts`. `unusable` questions have no candidate
    with both a score and a quality; `usable` is the number of candidates with both.
    """

    scorer: str
    condition: Condition
    note: str | None
    points: tuple[Point, ...]
    usable: int
    unusable: int


class Curves(Record):
    """curve.json: the curves of all reward models that scored these candidates, by the names of their folders."""

    data: str
    split: str | None
    policy: str
    condition: Condition
    judge: str
    n: int
    ks: tuple[int, ...]
    answers: str
    questions: int
    models: dict[str, Curve]
    seed: int
    resamples: int


class QuestionQualities(Record):
    """A line of judges/JUDGE/NAME.jsonl: of one question, the expected quality of best-of-k by k (as text); k for
    which there are too few usable candidates are left out.
    """

    key: str
    user_key: str
    quality: dict[str, float]
