"""The rules by which people validate a pair, and which of them it does not meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from prbgen.annotation.rated import RatedRound
from prbgen.recipe import ValidationSettings
from prbgen.schema import Round
from prbgen.validation.given import ADHERENCE, BETTER, QUALITY, asked, round_of
from prbgen.validation.marks import Fit, PairMarks, Quality

# Means of whole marks in floating point miss what they meet by less.
_TINY = 1e-9
_QUESTIONS = {"quality": set(QUALITY), "rubric": {ADHERENCE, BETTER}}


class Unmet(NamedTuple):
    """A rule that a pair does not meet: `kind` is the same for all such pairs, `said` has this pair's figures."""

    kind: str
    said: str


def unmet(pair: PairMarks, rounds: Sequence[RatedRound], settings: ValidationSettings) -> tuple[Unmet, ...]:
    """What keeps a pair from being validated; nothing: it is.

    Where senior raters have decided, their answers are enough. What has no figures for want of ratings or of a question
    meets nothing, for that one reason.
    """
    found: list[Unmet] = []
    quality, rubric = round_of(rounds, "quality"), round_of(rounds, "rubric")
    by_quality, by_rubric = pair.decided_quality, pair.decided_rubric
    found += _rated(pair, "quality", quality, by_quality, settings)
    if quality and by_quality:
        found += _quality(by_quality, quality, settings)
    found += _rated(pair, "rubric", rubric, by_rubric, settings)
    if rubric and by_rubric:
        found += _rubric(by_rubric, rubric, settings)
    return tuple(found)


def _rated(
    pair: PairMarks, name: Round, round_: RatedRound | None, got: Quality | Fit | None, settings: ValidationSettings
) -> Iterator[Unmet]:
    if round_ is None or got is None:
        yield Unmet(f"not in round {name}", f"not in round {name}")
        return
    if round_.settings.simulated:
        yield Unmet("ratings are simulated", f"ratings are simulated in round {name}")
    if name not in pair.adjudicated and got.raters < settings.ratings and _QUESTIONS[name] & asked(round_):
        yield Unmet(f"too few ratings in round {name}", f"{got.raters} of {settings.ratings} ratings in round {name}")


def _quality(got: Quality, round_: RatedRound, settings: ValidationSettings) -> Iterator[Unmet]:
    if not _QUESTIONS["quality"] & asked(round_):
        yield Unmet("quality is not asked", f"round {round_.round} asks none of {', '.join(QUALITY)}")
    if got.marks is None:
        return
    chosen, rejected = got.marks
    for side, mark in (("chosen", chosen), ("rejected", rejected)):
        if mark < settings.quality - _TINY:
            said = f"quality of {side} {_figure(mark)} is below {_figure(settings.quality)}"
            yield Unmet(f"quality of {side} too low", said)
    if abs(chosen - rejected) > settings.quality_gap + _TINY:
        said = (
            f"quality of chosen {_figure(chosen)} and of rejected {_figure(rejected)} is "
            f"more than {_figure(settings.quality_gap)} apart"
        )
        yield Unmet("quality too far apart", said)


def _rubric(got: Fit, round_: RatedRound, settings: ValidationSettings) -> Iterator[Unmet]:
    for question in (BETTER, ADHERENCE):
        if question not in asked(round_):
            yield Unmet(f"{question} is not asked", f"round {round_.round} does not ask {question}")
    if got.for_chosen is False:
        yield Unmet("no majority for chosen", f"{got.votes[0]} of {sum(got.votes)} votes are for chosen")
    if got.adherence is None:
        return
    gap = got.adherence[0] - got.adherence[1]
    if gap < settings.adherence_gap - _TINY:
        said = f"adherence gap {_figure(gap)} is below {_figure(settings.adherence_gap)}"
        yield Unmet("adherence gap too small", said)


def _figure(mark: float) -> str:
    return f"{round(mark, 2):g}"
