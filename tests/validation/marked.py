"""Rounds as people might have rated them, in few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from prbgen.annotation.rated import RatedRound, Scale
from prbgen.recipe import AnnotationSettings
from prbgen.schema import Rating, Round
from prbgen.validation.marks import Fit, PairMarks, Quality
from prbgen.validation.pairs import RatedPair

MARKS = (1, 2, 3, 4, 5)
QUESTIONS = ("factuality", "relevance", "helpfulness")

# {pair: {rater: {question: (of chosen, of rejected)}}}; "better" has a label alone.
Said = Mapping[str, Mapping[str, Mapping[str, Any]]]


def a_pair(name: str = "p", user: str = "u", **changes: Any) -> RatedPair:
    values: dict[str, Any] = {
        "subset": "Lifestyle_and_Personal_Development",
        "aspects": 2,
        "words": (90, 80),
        "judged_quality": (None, None),
        "judged_coverage": (None, None),
    }
    return RatedPair(pair_id=name, user_key=user, **(values | changes))


def quality(*sides: tuple[int | None, int | None]) -> dict[str, Any]:
    """Marks of chosen and rejected for factuality, relevance and helpfulness, as far as given."""
    return dict(zip(QUESTIONS, sides, strict=False))


def rubric(
    chosen: int | None, rejected: int | None, better: str | None = "chosen", covers: Any = ((1, 2), ())
) -> dict[str, Any]:
    said = {"adherence": (chosen, rejected), "covers": covers, "better": better}
    return {question: each for question, each in said.items() if each is not None}


def ratings(name: Round, said: Said, *, senior: bool = False, kind: Any = "pair", a_is: str = "chosen") -> list[Rating]:
    sides = ("A", "B") if a_is == "chosen" else ("B", "A")
    found = []
    for pair, by_rater in said.items():
        for rater, answers in by_rater.items():
            for question, value in answers.items():
                each: list[tuple[Any, str, Any]]
                if question == "better":
                    shown = {"chosen": sides[0], "rejected": sides[1], "equal": "equal"}[value]
                    each = [(None, value, shown)]
                else:
                    each = list(zip(sides, ("chosen", "rejected"), value, strict=True))
                for side, label, given in each:
                    if given == "missing":
                        continue
                    found.append(
                        Rating(
                            round=name,
                            pair_id=pair,
                            item=f"item-{kind}-{pair}",
                            kind=kind,
                            rater=rater,
                            senior=senior,
                            question=question,
                            shown=side,
                            label=None if kind == "gold" else label,  # type: ignore[arg-type]
                            value=given,
                            submitted_at=None,
                        )
                    )
    return found


def a_round(
    name: Round,
    said: Said,
    *,
    senior: Said | None = None,
    asks: Sequence[str] | None = None,
    marks: tuple[int, ...] = MARKS,
    more: Sequence[Rating] = (),
    pairs: Sequence[str] | None = None,
    **settings: Any,
) -> RatedRound:
    default = QUESTIONS if name == "quality" else ("covers", "adherence", "better")
    return RatedRound(
        round=name,
        settings=AnnotationSettings(**settings),
        scales=tuple(_scale(question, marks) for question in (default if asks is None else asks)),
        pairs=frozenset(said if pairs is None else pairs),
        ratings=(*ratings(name, said), *more),
        senior=tuple(ratings(name, senior or {}, senior=True)),
        raters=(),
        uncounted={},
    )


def _scale(question: str, marks: tuple[int, ...]) -> Scale:
    if question == "covers":
        return Scale(question, "aspects")
    if question == "better":
        return Scale(question, "choice", options=("A", "B", "equal"))
    return Scale(question, "rating", marks=marks)


def marked(name: str, user: str, chosen: float, rejected: float, votes: tuple[int, int, int] = (3, 0, 0)) -> PairMarks:
    """A pair by what it got, where the ratings behind it do not matter."""
    sides = (chosen, rejected)
    return PairMarks(
        a_pair(name, user),
        Quality(3, sides, dict.fromkeys(QUESTIONS, sides)),
        Fit(3, (5.0, 2.0), votes, (0.9, 0.1), ((True, True), (False, None))),
    )
