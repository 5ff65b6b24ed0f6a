"""A set of rated pairs in figures, by its raters without the senior ones (see marks.PairMarks)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prbgen.annotation.rated import RatedRound
from prbgen.recipe import ValidationSettings
from prbgen.schema import Round
from prbgen.validation.clustered import equivalence, mean_figure, share_figure
from prbgen.validation.given import ADHERENCE, BETTER, COVERS, QUALITY, why_missing
from prbgen.validation.marks import PairMarks, Sides
from prbgen.validation.report import Figure, Portrait

Get = Callable[[PairMarks], Sides | None]
# Two qualities that are nearer than this differ by rounding alone.
_TINY = 1e-9
_NONE = "there are no such pairs"


def portrait(pairs: Sequence[PairMarks], rounds: Sequence[RatedRound], settings: ValidationSettings) -> Portrait:
    """These pairs in figures: each is over the pairs that have what it takes, `n` of them."""

    def missing(name: Round, *questions: str) -> str:
        return why_missing(rounds, name, *questions) if pairs else _NONE

    unrated, adherence = missing("quality", *QUALITY), missing("rubric", ADHERENCE)
    covers = missing("rubric", COVERS)
    gaps, users = _over(pairs, _quality, _gap)
    words, writers = _over(pairs, lambda pair: pair.pair.words, _gap)
    return Portrait(
        pairs=len(pairs),
        users=len({pair.pair.user_key for pair in pairs}),
        quality_chosen=_mean(pairs, _quality, _chosen, unrated),
        quality_rejected=_mean(pairs, _quality, _rejected, unrated),
        quality_gap=mean_figure(gaps, users, unrated),
        questions={name: _mean(pairs, _of(name), _gap, missing("quality", name)) for name in QUALITY},
        equivalence=equivalence(gaps, users, settings.margin, unrated),
        balance=mean_figure([_sign(gap) for gap in gaps], users, unrated, bounds=(-1, 1)),
        adherence_chosen=_mean(pairs, _adherence, _chosen, adherence),
        adherence_rejected=_mean(pairs, _adherence, _rejected, adherence),
        adherence_gap=_mean(pairs, _adherence, _gap, adherence),
        coverage_chosen=_mean(pairs, _coverage, _chosen, covers, bounds=(0, 1)),
        coverage_rejected=_mean(pairs, _coverage, _rejected, covers, bounds=(0, 1)),
        direction=_direction(pairs, missing("rubric", BETTER)),
        words_gap=mean_figure(words, writers, _NONE),
    )


def _over(pairs: Sequence[PairMarks], get: Get, figure: Callable[[Sides], float]) -> tuple[list[float], list[str]]:
    """A figure of each pair that has it, and its user."""
    known = [(figure(sides), pair.pair.user_key) for pair in pairs if (sides := get(pair)) is not None]
    return [value for value, _ in known], [user for _, user in known]


def _mean(
    pairs: Sequence[PairMarks],
    get: Get,
    figure: Callable[[Sides], float],
    missing: str,
    bounds: tuple[float, float] | None = None,
) -> Figure:
    return mean_figure(*_over(pairs, get, figure), missing, bounds)


def _direction(pairs: Sequence[PairMarks], missing: str) -> Figure:
    known = [
        (said, pair.pair.user_key) for pair in pairs if pair.rubric and (said := pair.rubric.for_chosen) is not None
    ]
    return share_figure([said for said, _ in known], [user for _, user in known], missing)


def _quality(pair: PairMarks) -> Sides | None:
    return pair.quality.marks if pair.quality else None


def _of(question: str) -> Get:
    return lambda pair: pair.quality.questions.get(question) if pair.quality else None


def _adherence(pair: PairMarks) -> Sides | None:
    return pair.rubric.adherence if pair.rubric else None


def _coverage(pair: PairMarks) -> Sides | None:
    return pair.rubric.coverage if pair.rubric else None


def _chosen(sides: Sides) -> float:
    return sides[0]


def _rejected(sides: Sides) -> float:
    return sides[1]


def _gap(sides: Sides) -> float:
    return sides[0] - sides[1]


def _sign(gap: float) -> float:
    return float(gap > _TINY) - float(gap < -_TINY)
