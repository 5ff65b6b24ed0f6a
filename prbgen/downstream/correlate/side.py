"""One side of a comparison: what a benchmark, or a use, says of each reward model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern

import numpy as np

from prbgen.downstream.correlate.coefficients import Floats, Ints
from prbgen.downstream.correlate.records import SideKind
from prbgen.errors import InputError
from prbgen.text import one_line

# What sums of shares round must make no two equal scores differ.
_DECIMALS = 12
ByUser = Mapping[str, tuple[float, int]]
People = tuple[str, str | None]


@dataclass(frozen=True)
class Items:
    """What is behind the scores of m models, by u users: `sums` of values and `counts` of items, each (u, m)."""

    users: tuple[str, ...]
    sums: Floats
    counts: Ints


@dataclass(frozen=True)
class Side:
    """Scores (m,) of the models, which are sorted; `items` is null where only the scores are known. `people` says whose
    users they are (data and split): only where it is the same can two sides have a user in common. `aspects` tell it
    from others of the same label, and `place` is where it was read.
    """

    label: str
    kind: SideKind
    measure: str
    models: tuple[str, ...]
    scores: Floats
    items: Items | None = None
    people: People = ("", None)
    aspects: tuple[str, ...] = ()
    place: str = ""

    @classmethod
    def of_scores(cls, label: str, scores: Mapping[str, float], place: str = "") -> Side:
        """A side of which nothing but scores is known."""
        models = tuple(sorted(scores))
        found = np.array([scores[each] for each in models], dtype=np.float64)
        return cls(label, "scores", "score", models, found, place=place or label)

    @classmethod
    def of_items(
        cls,
        label: str,
        kind: SideKind,
        measure: str,
        by_model: Mapping[str, ByUser],
        *,
        people: People = ("", None),
        aspects: tuple[str, ...] = (),
        place: str = "",
    ) -> Side:
        """A side whose scores are means over items, given by model and user.

        Raises:
            InputError: a model has no item.
        """
        models = tuple(sorted(by_model))
        users = tuple(sorted({user for each in by_model.values() for user in each}))
        row = {user: at for at, user in enumerate(users)}
        sums, counts = np.zeros((len(users), len(models))), np.zeros((len(users), len(models)), dtype=np.int64)
        for column, model in enumerate(models):
            if not any(count for _, count in by_model[model].values()):
                raise InputError(f"{label}: nothing of {model} is scored; mend that, or leave its results out")
            for user, (total, count) in by_model[model].items():
                sums[row[user], column], counts[row[user], column] = total, count
        scores = means(sums.sum(axis=0), counts.sum(axis=0))
        return cls(label, kind, measure, models, scores, Items(users, sums, counts), people, aspects, place)

    def only(self, models: Iterable[str]) -> Side:
        """The same side with these of its models."""
        wanted = set(models)
        kept = [at for at, model in enumerate(self.models) if model in wanted]
        items = self.items
        if items:
            items = Items(items.users, items.sums[:, kept], items.counts[:, kept])
        return replace(self, models=tuple(self.models[at] for at in kept), scores=self.scores[kept], items=items)


def told_apart(sides: Sequence[Side]) -> list[Side]:
    """The same sides; those that share a label have those of their aspects in it that differ, or else their places."""
    return [replace(each, label=_with(each.label, _telling(each, sides))) for each in sides]


def _telling(side: Side, sides: Sequence[Side]) -> list[str]:
    rivals = [each for each in sides if each is not side and each.label == side.label]
    alike = [each.aspects for each in rivals if each.kind == side.kind]
    telling = [mine for mine, *theirs in zip(side.aspects, *alike, strict=True) if {mine} != {mine, *theirs}]
    # What is of another kind, or the same in all of this, lies elsewhere.
    return telling + ([side.place] if len(alike) < len(rivals) or side.aspects in alike else [])


def _with(label: str, details: Sequence[str]) -> str:
    return one_line(f"{label} ({', '.join(details)})" if details else label)


def by_user(values: Iterable[tuple[str, float]]) -> dict[str, tuple[float, int]]:
    """Items, each with its user and value, as sum and count of each user; none of them is kept."""
    found: dict[str, tuple[float, int]] = {}
    for user, value in values:
        total, count = found.get(user, (0.0, 0))
        found[intern(user)] = total + value, count + 1
    return found


def means(sums: Floats, counts: Floats | Ints) -> Floats:
    """Sums over counts of any shape, NaN where there is nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.round(sums / counts, _DECIMALS))
