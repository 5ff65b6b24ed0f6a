"""A leaderboard that does not claim more than the pairs show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prbgen.evaluation.metrics.comparison import LEVEL, Tested, as_family, compared, p_of
from prbgen.evaluation.metrics.joined import Judged
from prbgen.evaluation.metrics.swapping import holm
from prbgen.schema import Record


class Standing(Record):
    """A place in a leaderboard: `rank` from 1, equal for equal accuracies; null where nothing was scored.

    `group`, from 1: those that nothing tells from the first one of their group; the next group begins at the best one
    that can be told from it. It is null where that is not known, and `reason` says why. `best` compares with the first
    result, as that one's accuracy less its own; null for the first itself.
    """

    name: str
    rank: int | None
    group: int | None
    accuracy: float | None
    best: Tested | None
    reason: str | None = None


def standings(results: Mapping[str, Judged], *, seed: int = 0, resamples: int = 2000) -> list[Standing]:
    """The results of several models on the same pairs, the best first, equal ones by name.

    Each is tested against the best, and all below the first one of a group against that: two kinds of families of
    tests, each family with Holm's correction. Accuracies are those of all pairs that a model scored, tests are of those
    that both did.

    Args:
        results: By the names of the models.
        seed: Of each bootstrap.
        resamples: Of users, for each 95 % interval.
    """
    accuracies = {name: result.accuracy for name, result in results.items()}
    order = sorted(results, key=lambda name: (accuracies[name] is None, -(accuracies[name] or 0.0), name))
    ranked = [accuracies[name] for name in order]
    best = as_family([compared(results[name], results[order[0]], seed=seed, resamples=resamples) for name in order[1:]])
    groups = _groups([name for name in order if accuracies[name] is not None], results)
    found = []
    for name, beside in zip(order, [None, *best], strict=False):
        accuracy = accuracies[name]
        group, reason = groups.get(name, (None, "no pair is scored"))
        rank = None if accuracy is None else ranked.index(accuracy) + 1
        found.append(Standing(name=name, rank=rank, group=group, accuracy=accuracy, best=beside, reason=reason))
    return found


def _groups(order: Sequence[str], results: Mapping[str, Judged]) -> dict[str, tuple[int | None, str | None]]:
    """The number of each one's group, or why it has none."""
    groups: dict[str, tuple[int | None, str | None]] = {}
    number, left = 0, list(order)
    while left:
        number += 1
        first, *below = left
        groups[first] = number, None
        tests = {name: p_of(results[first].joined(results[name])) for name in below}
        raised = dict(zip(below, holm([p for p, _ in tests.values()]), strict=True))
        left = []
        for name, p in raised.items():
            if p is None:
                groups[name] = None, f"beside the first of group {number}: {tests[name][1]}"
            elif left or p < LEVEL:
                left.append(name)
            else:
                groups[name] = number, None
    return groups
