"""How often attempts pass: by check, strategy, model and subset, over every attempt that a run has on record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prbgen.schema import Check, Outcome, Pair, Reject, Side


@dataclass(frozen=True, order=True)
class Place:
    """Where pairs are counted together."""

    strategy: str
    generator: str
    subset: str


@dataclass(frozen=True)
class CheckRate:
    """How a check came out; `rate` is the passed share of what could be told, null where nothing could."""

    check: str
    side: Side | None
    passed: int
    failed: int
    unknown: int

    @property
    def rate(self) -> float | None:
        """Share, 0 to 1."""
        told = self.passed + self.failed
        return round(self.passed / told, 6) if told else None


@dataclass(frozen=True)
class AttemptRate:
    """How many attempts were checked: `passed` passed all, `undecided` failed none, but not all could be told."""

    attempts: int
    passed: int
    undecided: int

    @property
    def rate(self) -> float | None:
        """Share of those that are decided, 0 to 1; null where there are none."""
        decided = self.attempts - self.undecided
        return round(self.passed / decided, 6) if decided else None


class Rates:
    """Counts attempts, those of rejected pairs and those before the one that was kept among them."""

    def __init__(self) -> None:
        self._outcomes: Counter[tuple[Place, str, Side | None, Outcome]] = Counter()
        self._attempts: Counter[tuple[Place, Outcome]] = Counter()

    def add(self, result: Pair | Reject) -> None:
        """Count all attempts at one pair."""
        if isinstance(result, Pair):
            place = Place(result.strategy, result.generator, result.provenance.subset)
            attempts = (*result.provenance.earlier_checks, result.checks)
        else:
            place = Place(result.strategy or "", result.generator or "", result.subset or "")
            # An attempt that only wants a reply neither passed nor failed.
            last = result.checks if _outcome(result.checks) == "fail" else ()
            attempts = (*result.earlier_checks, last)
        for checks in attempts:
            # An attempt that nothing was checked on says nothing.
            if checks:
                self._attempts[place, _outcome(checks)] += 1
                self._outcomes.update((place, check.name, check.side, check.outcome) for check in checks)

    @property
    def places(self) -> list[Place]:
        """Where anything was counted, sorted."""
        return sorted({place for place, _ in self._attempts})

    def checks(self, places: Sequence[Place] | None = None) -> list[CheckRate]:
        """The rate of each check over some places (null: all), in the order in which checks are made."""
        wanted = set(self.places if places is None else places)
        counts: Counter[tuple[str, Side | None, Outcome]] = Counter()
        for (place, name, side, outcome), count in self._outcomes.items():
            if place in wanted:
                counts[name, side, outcome] += count
        return [
            CheckRate(name, side, counts[name, side, "pass"], counts[name, side, "fail"], counts[name, side, "unknown"])
            for name, side in dict.fromkeys((name, side) for name, side, _ in counts)
        ]

    def attempts(self, places: Sequence[Place] | None = None) -> AttemptRate:
        """The rate of attempts over some places (null: all)."""
        wanted = self.places if places is None else places
        counts: Counter[Outcome] = Counter()
        for place in wanted:
            counts.update({outcome: self._attempts[place, outcome] for outcome in ("pass", "fail", "unknown")})
        return AttemptRate(counts.total(), counts["pass"], counts["unknown"])


def _outcome(checks: Iterable[Check]) -> Outcome:
    outcomes = {check.outcome for check in checks}
    return "fail" if "fail" in outcomes else "unknown" if "unknown" in outcomes else "pass"
