"""What people found about the pairs of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from prbgen.annotation.rated import RatedRound
from prbgen.schema import Verdict
from prbgen.validation.report import RaterFound, Report


@dataclass(frozen=True)
class Validation:
    """The report, the verdict on each pair by its pair_id, and the rounds that both rest on.

    A pair without a verdict is not validated.
    """

    report: Report
    verdicts: Mapping[str, Verdict]
    rounds: tuple[RatedRound, ...]

    @cached_property
    def validated(self) -> frozenset[str]:
        """The pair_ids of the pairs that people have validated."""
        return frozenset(name for name, verdict in self.verdicts.items() if verdict.validated)

    @property
    def left_out(self) -> tuple[RaterFound, ...]:
        """The raters who do not count, each with the reasons."""
        return tuple(rater for rater in self.report.raters if rater.left_out)

    def raters_of(self, rated: RatedRound) -> tuple[int, int, int]:
        """How many raters of a round count, how many are left out, and how many seniors adjudicated."""
        found = [rater for rater in self.report.raters if rater.round == rated.round]
        counted = sum(not rater.left_out for rater in found)
        return counted, len(found) - counted, len({rating.rater for rating in rated.senior})
