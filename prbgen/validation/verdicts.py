"""Whether people have validated each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from prbgen.schema import Verdict
from prbgen.validation.marks import PairMarks, Sides
from prbgen.validation.rules import Unmet

VALIDATED = "validated"


def verdicts(pairs: Iterable[PairMarks], unmet: Iterable[Sequence[Unmet]]) -> list[Verdict]:
    """A verdict on every pair, in their order, from the rules that each does not meet."""
    return [_verdict(pair, tuple(rule.said for rule in missed)) for pair, missed in zip(pairs, unmet, strict=True)]


def counts(unmet: Iterable[Sequence[Unmet]]) -> dict[str, int]:
    """How many pairs are validated, and how many are not for each kind of reason; those with several count in each."""
    found: Counter[str] = Counter({VALIDATED: 0})
    for missed in unmet:
        found.update({rule.kind for rule in missed} or {VALIDATED})
    return dict(sorted(found.items(), key=lambda each: (each[0] != VALIDATED, -each[1], each[0])))


def _verdict(pair: PairMarks, reasons: tuple[str, ...]) -> Verdict:
    quality, fit = pair.decided_quality, pair.decided_rubric
    nothing = (None, None)
    quality_chosen, quality_rejected = (quality.marks if quality else None) or nothing
    adherence: Sides | tuple[None, None] = (fit.adherence if fit else None) or nothing
    return Verdict(
        pair_id=pair.pair.pair_id,
        validated=not reasons,
        reasons=reasons,
        quality_chosen=quality_chosen,
        quality_rejected=quality_rejected,
        adherence_chosen=adherence[0],
        adherence_rejected=adherence[1],
        votes=fit.votes if fit else (0, 0, 0),
        raters_quality=quality.raters if quality else 0,
        raters_rubric=fit.raters if fit else 0,
        adjudicated=pair.adjudicated,
    )
