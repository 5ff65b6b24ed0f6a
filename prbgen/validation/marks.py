"""What each pair got from the raters that count: general quality, and how well it suits the asker."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from prbgen.annotation.rated import RatedRound
from prbgen.schema import Round
from prbgen.validation.given import ADHERENCE, BETTER, QUALITY, Given, asked, given, round_of
from prbgen.validation.pairs import RatedPair

# A rater who can't tell more than one of the three questions says too little about general quality.
_LEAST_QUESTIONS = 2

Sides = tuple[float, float]
Ticked = tuple[bool | None, ...]


@dataclass(frozen=True)
class Quality:
    """The general quality of a pair, in marks.

    A question counts for a rater who marked it for both answers, and a rater (`raters` of them) for whom two questions
    or more of factuality, relevance and helpfulness count; all of them, where the round asks fewer. `marks` are the
    medians over raters of their means over questions, of chosen and rejected; null if no rater counts. `questions` has
    the medians of each question alone.
    """

    raters: int
    marks: Sides | None
    questions: Mapping[str, Sides]


@dataclass(frozen=True)
class Fit:
    """How well a pair suits its asker.

    `raters` gave both an adherence mark to both answers and a vote (one of them, where the round asks no more). Each
    figure is over all who gave it: `adherence` the medians in marks, of chosen and rejected; `votes` for chosen, for
    rejected and for neither; `coverage` the share of aspects ticked, mean over raters; `ticked` of each aspect whether
    most raters ticked it, null for a tie. Null where nobody did, or there are no aspects.
    """

    raters: int
    adherence: Sides | None
    votes: tuple[int, int, int]
    coverage: Sides | None = None
    ticked: tuple[Ticked, Ticked] | None = None

    @property
    def for_chosen(self) -> bool | None:
        """Whether more than half of all votes, "equally" among them, are for chosen; null without votes."""
        return self.votes[0] * 2 > sum(self.votes) if any(self.votes) else None


@dataclass(frozen=True)
class PairMarks:
    """A pair and what it got in the rounds quality and rubric, null where the round does not show it.

    `quality` and `rubric` are from its raters alone: portraits of sets of pairs go by these, so that those who settle
    disagreements cannot tilt them. `senior_quality` and `senior_rubric` are from senior raters, null unless one of them
    counts by the same rules; verdicts go by these where they are there, by the raters' elsewhere.
    """

    pair: RatedPair
    quality: Quality | None = None
    rubric: Fit | None = None
    senior_quality: Quality | None = None
    senior_rubric: Fit | None = None

    @property
    def rated(self) -> bool:
        """Whether ratings of anybody but senior raters count for it."""
        quality, fit = self.quality, self.rubric
        return bool((quality and quality.raters) or (fit and (any(fit.votes) or fit.adherence or fit.coverage)))

    @property
    def decided_quality(self) -> Quality | None:
        """What a verdict goes by."""
        return self.senior_quality or self.quality

    @property
    def decided_rubric(self) -> Fit | None:
        """What a verdict goes by."""
        return self.senior_rubric or self.rubric

    @property
    def adjudicated(self) -> tuple[Round, ...]:
        """The rounds in which senior raters have decided on it."""
        names: tuple[tuple[Round, object], ...] = (("quality", self.senior_quality), ("rubric", self.senior_rubric))
        return tuple(name for name, senior in names if senior)


@dataclass(frozen=True)
class _Told:
    """A round, sorted by pair."""

    pairs: Collection[str] = ()
    asked: frozenset[str] = frozenset()
    raters: Mapping[str, Sequence[Given]] = field(default_factory=dict)
    senior: Mapping[str, Sequence[Given]] = field(default_factory=dict)


def marks(
    pairs: Iterable[RatedPair], rounds: Sequence[RatedRound], left_out: Mapping[Round, Collection[str]]
) -> list[PairMarks]:
    """What pairs got, in their order. `left_out` are the raters of each round that do not count."""
    quality, rubric = (_told(round_of(rounds, name), left_out.get(name, ())) for name in ("quality", "rubric"))
    return [_marks(pair, quality, rubric) for pair in pairs]


def quality_of(raters: Iterable[Given], asks: Collection[str]) -> Quality:
    """The general quality of one pair, in a round that asks these questions."""
    questions = [name for name in QUALITY if name in asks]
    least = max(1, min(_LEAST_QUESTIONS, len(questions)))
    told = [{name: each.marks[name] for name in questions if name in each.marks} for each in raters]
    told = [each for each in told if len(each) >= least]
    return Quality(
        raters=len(told),
        marks=_medians([(fmean(c for c, _ in each.values()), fmean(r for _, r in each.values())) for each in told]),
        questions={
            name: medians for name in questions if (medians := _medians([each[name] for each in told if name in each]))
        },
    )


def fit_of(raters: Sequence[Given], asks: Collection[str], aspects: int) -> Fit:
    """How well one pair with so many aspects suits its asker, in a round that asks these questions."""
    needed = {ADHERENCE, BETTER} & set(asks)
    votes = [each.vote for each in raters]
    ticks = [each.ticks for each in raters if each.ticks is not None] if aspects else []
    return Fit(
        raters=sum(bool(needed) and needed <= _answered(each) for each in raters),
        adherence=_medians([each.marks[ADHERENCE] for each in raters if ADHERENCE in each.marks]),
        votes=(votes.count("chosen"), votes.count("rejected"), votes.count("equal")),
        coverage=(fmean(len(c) for c, _ in ticks) / aspects, fmean(len(r) for _, r in ticks) / aspects)
        if ticks
        else None,
        ticked=(_majority([c for c, _ in ticks], aspects), _majority([r for _, r in ticks], aspects))
        if ticks
        else None,
    )


def _told(round_: RatedRound | None, left_out: Collection[str]) -> _Told:
    if round_ is None:
        return _Told()
    return _Told(round_.pairs, asked(round_), given(round_.ratings, left_out), given(round_.senior))


def _marks(pair: RatedPair, quality: _Told, rubric: _Told) -> PairMarks:
    name = pair.pair_id
    senior_quality = quality_of(quality.senior.get(name, ()), quality.asked)
    senior_rubric = fit_of(rubric.senior.get(name, ()), rubric.asked, pair.aspects)
    return PairMarks(
        pair=pair,
        quality=quality_of(quality.raters.get(name, ()), quality.asked) if name in quality.pairs else None,
        rubric=fit_of(rubric.raters.get(name, ()), rubric.asked, pair.aspects) if name in rubric.pairs else None,
        senior_quality=senior_quality if senior_quality.raters else None,
        senior_rubric=senior_rubric if senior_rubric.raters else None,
    )


def _answered(each: Given) -> set[str]:
    return {*each.marks, *([BETTER] if each.vote else [])}


def _medians(told: Sequence[Sides] | Sequence[tuple[int, int]]) -> Sides | None:
    return (float(median(c for c, _ in told)), float(median(r for _, r in told))) if told else None


def _majority(ticks: Sequence[tuple[int, ...]], aspects: int) -> Ticked:
    counts = [sum(number in each for each in ticks) * 2 for number in range(1, aspects + 1)]
    return tuple(None if count == len(ticks) else count > len(ticks) for count in counts)
