"""What `prbgen compare --json` prints."""

from __future__ import annotations

from typing import Literal

from prbgen.evaluation.metrics.comparison import Paired
from prbgen.evaluation.settings import Condition
from prbgen.evaluation.summary import Share
from prbgen.schema import Record


class Words(Record):
    """Words in an answer."""

    mean: float
    median: float
    most: int


class DatasetFacts(Record):
    """A dataset for itself. `users` is null where nothing tells who asked; `by_*` count pairs, the most first, without
    those that have no such name.
    """

    name: str
    pairs: int
    questions: int
    users: int | None
    words_chosen: Words
    words_rejected: Words
    by_subset: dict[str, int]
    by_split: dict[str, int]
    by_category: dict[str, int]
    by_strategy: dict[str, int]
    by_generator: dict[str, int]


class QuestionsCompared(Record):
    """Questions of both: `same`, of which `other_id` were found by their text, under another id, subset or none, and
    `reworded` have the same subset and id but another text. And those of one alone, with the ids of the first few.
    """

    same: int
    other_id: int
    reworded: int
    only_old: int
    only_new: int
    examples_only_old: tuple[str, ...]
    examples_only_new: tuple[str, ...]


class Changed(Record):
    """How many pairs of those `compared`, where both have such a thing, have another one."""

    changed: int
    compared: int


class PairsCompared(Record):
    """Pairs of the questions in both, joined by pair_id, else by answers, strategy and generator, strategy, or as a
    question's only one. `unchanged`: of all that can be compared nothing differs. A rubric is aspects and narrative.
    """

    joined: int
    unchanged: int
    answers: Changed
    rubric: Changed
    profile: Changed
    only_old: int
    only_new: int


class DatasetComparison(Record):
    """Two datasets."""

    kind: Literal["datasets"] = "datasets"
    old: DatasetFacts
    new: DatasetFacts
    questions: QuestionsCompared
    pairs: PairsCompared


class ResultFacts(Record):
    """An evaluation: `folder` is where it lies, below the place that was named; `label` is its scorer, with the folder
    where others there are of the same scorer under the same condition.
    """

    folder: str
    label: str
    scorer: str
    condition: Condition
    data: str
    accuracy: Share
    n: int
    coverage: float | None


class ResultChange(Record):
    """The same scorer and condition in both. `same_data`: every pair and every text in it is the same.

    `joined_by`: what `paired` goes by, null if they share neither pairs nor questions. Pairs of the same pair_id are
    joined though their answers be others; `differs` says what else is not the same.
    """

    old: ResultFacts
    new: ResultFacts
    same_data: bool
    joined_by: Literal["pairs", "questions"] | None
    paired: Paired
    differs: tuple[str, ...]


class RankChange(Record):
    """A scorer's place among those of both, from 1, by accuracy; equal accuracies share one, null if none is known.
    `label` is that of the new result.
    """

    label: str
    old: int | None
    new: int | None


class Ranking(Record):
    """How scorers rank under one condition. The correlations are of accuracies, null with a `reason`."""

    condition: Condition
    scorers: tuple[RankChange, ...]
    kendall: float | None
    spearman: float | None
    reason: str | None = None


class ResultsComparison(Record):
    """Two sets of results; `only_old` and `only_new` have no counterpart."""

    kind: Literal["results"] = "results"
    changes: tuple[ResultChange, ...]
    rankings: tuple[Ranking, ...]
    only_old: tuple[ResultFacts, ...]
    only_new: tuple[ResultFacts, ...]
