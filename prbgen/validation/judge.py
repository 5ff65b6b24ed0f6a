"""How far the automatic judge says what people say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor

from prbgen.annotation.rated import RatedRound
from prbgen.errors import InputError
from prbgen.recipe import ValidationSettings
from prbgen.validation.given import COVERS, QUALITY, round_of, why_missing
from prbgen.validation.kappa import Case, Weights, kappa_figure
from prbgen.validation.marks import PairMarks
from prbgen.validation.report import Figure, JudgeFound

# The scale of the judge's marks.
_MARKS = (1, 2, 3, 4, 5)
_UNJUDGED = "no judge scored these pairs"


def judge_found(
    pairs: Sequence[PairMarks], rounds: Sequence[RatedRound], settings: ValidationSettings
) -> tuple[JudgeFound, ...]:
    """The judge against the raters without the senior ones.

    "covers": of each aspect of each answer, whether the judge gives it 1 or 2, against whether most raters tick it (a
    tie is left out); unweighted. Then each question of general quality: the judge's mark of each answer against the
    raters' median, a half rounded up; with quadratic weights (Cohen 1968).

    Raises:
        InputError: a judge's scores for quality are no marks.
    """
    covered = any(scores for pair in pairs for scores in pair.pair.judged_coverage)
    marked = any(scores for pair in pairs for scores in pair.pair.judged_quality)
    no_ticks = why_missing(rounds, "rubric", COVERS) if covered else _UNJUDGED
    found = [_found(COVERS, list(_coverage(pairs)), 2, "none", no_ticks, settings)]
    for number, question in enumerate(QUALITY):
        if marked and _marks_of(rounds, question) not in (None, _MARKS):
            reason = f"raters mark {question} on another scale than the judge"
            found.append(JudgeFound(question=question, weights="quadratic", kappa=Figure(value=None, reason=reason)))
            continue
        no_marks = why_missing(rounds, "quality", question) if marked else _UNJUDGED
        cases = list(_quality(pairs, number, question))
        found.append(_found(question, cases, len(_MARKS), "quadratic", no_marks, settings))
    return tuple(found)


def _found(
    question: str, cases: Sequence[Case], labels: int, weights: Weights, missing: str, settings: ValidationSettings
) -> JudgeFound:
    figure = kappa_figure(cases, labels, weights, settings) if cases else Figure(value=None, reason=missing)
    return JudgeFound(question=question, weights=weights, kappa=figure)


def _coverage(pairs: Sequence[PairMarks]) -> Iterator[Case]:
    for pair in pairs:
        if not pair.rubric or not pair.rubric.ticked:
            continue
        for scores, ticked in zip(pair.pair.judged_coverage, pair.rubric.ticked, strict=True):
            # A judge of another rubric than the raters saw says nothing here.
            if scores is None or len(scores) != len(ticked):
                continue
            for score, tick in zip(scores, ticked, strict=True):
                if tick is not None:
                    yield Case(judge=int(score >= 1), people=int(tick), user=pair.pair.user_key)


def _quality(pairs: Sequence[PairMarks], number: int, question: str) -> Iterator[Case]:
    for pair in pairs:
        medians = pair.quality.questions.get(question) if pair.quality else None
        if medians is None:
            continue
        for scores, mark in zip(pair.pair.judged_quality, medians, strict=True):
            if scores is None:
                continue
            if len(scores) != len(QUALITY) or scores[number] not in _MARKS:
                raise InputError(f"pair {pair.pair.pair_id}: a judge's scores for quality are three marks from 1 to 5")
            people = floor(mark + 0.5)
            yield Case(_MARKS.index(scores[number]), _MARKS.index(people), pair.pair.user_key)


def _marks_of(rounds: Sequence[RatedRound], question: str) -> tuple[int, ...] | None:
    round_ = round_of(rounds, "quality")
    scales = round_.scales if round_ else ()
    return next((scale.marks for scale in scales if scale.question == question), None)
