"""What a dataset card says in figures, taken from the pairs as they pass by."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prbgen.llm.family import related
from prbgen.schema import Pair, Side
from prbgen.text import count_words

# Their text shows that the pipeline works; nobody should mistake it for data.
_NO_DATA = ("local/", "scripted/")


@dataclass(frozen=True)
class Part:
    """One subset in one split: how many pairs it has, and how many of them people have validated."""

    subset: str
    split: str
    pairs: int
    validated: int = 0


@dataclass(frozen=True)
class Spread:
    """How a count spreads over what was counted."""

    mean: float
    median: float
    least: int
    most: int


@dataclass(frozen=True)
class Prompt:
    """A template by name and hash, and how many pairs were made with it."""

    name: str
    hash: str
    pairs: int


@dataclass(frozen=True)
class CheckCount:
    """How often a check came out which way; `side` is null for a check of the pair as a whole."""

    name: str
    side: Side | None
    passed: int
    failed: int
    unknown: int


@dataclass(frozen=True)
class Figures:
    """A dataset in figures.

    `left_out` counts pairs that were made but are not in it. `parts` are in source order. The tables {what: pairs} have
    the most frequent first. `rubric_models` leaves out pairs whose rubric no model wrote, `judges` those that no model
    judged; `own_judges` (judge, generator) are of one family of models. Words are counted as for the word limit;
    `aspects` is over questions. `toy_models` are those whose text shows that the pipeline works and is no data.
    """

    pairs: int
    validated: int
    left_out: int
    questions: int
    users: int
    parts: tuple[Part, ...]
    strategies: dict[str, int]
    generators: dict[str, int]
    rubric_kinds: dict[str, int]
    rubric_models: dict[str, int]
    words_chosen: Spread
    words_rejected: Spread
    aspects: Spread
    prompts: tuple[Prompt, ...]
    judges: dict[str, int]
    own_judges: tuple[tuple[str, str], ...]
    checks: tuple[CheckCount, ...]
    toy_models: tuple[str, ...]

    @property
    def subsets(self) -> dict[str, dict[str, int]]:
        """{subset: {split: pairs}}, in source order."""
        table: dict[str, dict[str, int]] = {}
        for part in self.parts:
            table.setdefault(part.subset, {})[part.split] = part.pairs
        return table

    @property
    def splits(self) -> dict[str, dict[str, int]]:
        """{split: {subset: pairs}}, in source order."""
        table: dict[str, dict[str, int]] = {}
        for part in self.parts:
            table.setdefault(part.split, {})[part.subset] = part.pairs
        return table


class Tally:
    """Counts pairs one by one; `left_out` are those that do not go in. What it keeps grows with ids, not with texts."""

    def __init__(self) -> None:
        self.left_out = 0
        self._validated: Counter[tuple[str, str]] = Counter()
        self._aspects: dict[tuple[str, str], int] = {}
        self._users: set[str] = set()
        self._parts: Counter[tuple[str, str]] = Counter()
        self._strategies: Counter[str] = Counter()
        self._generators: Counter[str] = Counter()
        self._rubric_kinds: Counter[str] = Counter()
        self._rubric_models: Counter[str] = Counter()
        self._words_chosen: Counter[int] = Counter()
        self._words_rejected: Counter[int] = Counter()
        self._prompts: Counter[tuple[str, str]] = Counter()
        self._judges: Counter[tuple[str, str]] = Counter()
        self._checks: Counter[tuple[str, Side | None, str]] = Counter()

    def add(self, pair: Pair, split: str, *, validated: bool) -> None:
        """Count a pair that goes into `split`."""
        made = pair.provenance
        self._validated[made.subset, split] += validated
        self._aspects.setdefault((made.subset, pair.id), len(pair.rubric_aspects))
        self._users.add(pair.user_key)
        self._parts[made.subset, split] += 1
        self._strategies[pair.strategy] += 1
        self._generators[pair.generator] += 1
        self._rubric_kinds[made.rubric_kind] += 1
        if made.rubric_model is not None:
            self._rubric_models[made.rubric_model] += 1
        self._words_chosen[count_words(pair.chosen)] += 1
        self._words_rejected[count_words(pair.rejected)] += 1
        self._prompts.update(made.prompts.items())
        if made.judge is not None:
            self._judges[made.judge, pair.generator] += 1
        self._checks.update((check.name, check.side, check.outcome) for check in pair.checks)

    @property
    def pairs(self) -> int:
        """How many pairs were counted that go into the dataset."""
        return self._parts.total()

    @property
    def words(self) -> tuple[Mapping[int, int], Mapping[int, int]]:
        """Of chosen and of rejected answers: {words: how many have so many}."""
        return self._words_chosen, self._words_rejected

    def figures(self) -> Figures:
        """The figures of all pairs so far.

        Raises:
            ValueError: there are none.
        """
        return Figures(
            pairs=self.pairs,
            validated=self._validated.total(),
            left_out=self.left_out,
            questions=len(self._aspects),
            users=len(self._users),
            parts=tuple(Part(*part, pairs, self._validated[part]) for part, pairs in self._parts.items()),
            strategies=dict(self._strategies.most_common()),
            generators=dict(self._generators.most_common()),
            rubric_kinds=dict(self._rubric_kinds.most_common()),
            rubric_models=dict(self._rubric_models.most_common()),
            words_chosen=_spread(self._words_chosen.elements()),
            words_rejected=_spread(self._words_rejected.elements()),
            aspects=_spread(self._aspects.values()),
            prompts=tuple(Prompt(name, key, pairs) for (name, key), pairs in sorted(self._prompts.items())),
            judges=self._judge_counts(),
            own_judges=tuple(pair for pair in sorted(self._judges) if related(*pair)),
            checks=self._check_counts(),
            toy_models=tuple(
                sorted(name for name in self._generators | self._rubric_models if name.startswith(_NO_DATA))
            ),
        )

    def _judge_counts(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for (judge, _), pairs in self._judges.items():
            counts[judge] += pairs
        return dict(counts.most_common())

    def _check_counts(self) -> tuple[CheckCount, ...]:
        names = sorted({(name, side) for name, side, _ in self._checks}, key=lambda key: (key[0], key[1] or ""))
        return tuple(
            CheckCount(name, side, *(self._checks[name, side, outcome] for outcome in ("pass", "fail", "unknown")))
            for name, side in names
        )


def _spread(counts: Iterable[int]) -> Spread:
    values = sorted(counts)
    if not values:
        raise ValueError("nothing was counted")
    return Spread(statistics.fmean(values), statistics.median(values), values[0], values[-1])
