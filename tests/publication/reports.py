"""Validation of pairs as the stage before would hand it over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from prbgen.annotation.rated import Care, RatedRound, Scale
from prbgen.recipe import AnnotationSettings, ValidationSettings
from prbgen.schema import Pair, Rating, Round, Verdict
from prbgen.validation.report import (
    Agreement,
    Blind,
    Coefficients,
    Equivalence,
    Figure,
    Gate,
    JudgeFound,
    Portrait,
    RaterFound,
    Report,
)
from prbgen.validation.validation import Validation

MARKS = (1, 2, 3, 4, 5)
UNKNOWN = Figure(value=None, reason="only one rater")


def figure(value: float = 0.71, half: float = 0.1, n: int = 12) -> Figure:
    return Figure(value=value, ci95=(value - half, value + half), n=n)


def build_agreement(**fields: Any) -> Agreement:
    """On a question; in a subset, nothing is known of raters with themselves."""
    each = Coefficients(
        raters=3, units=10, ratings=30, alpha=figure(0.61), raw=figure(0.81), ac1=figure(0.72), intra_rater=figure(0.9)
    )
    values: dict[str, Any] = {
        "round": "quality",
        "question": "factuality",
        "subset": "",
        "level": "ordinal",
        "everybody": each.model_copy(update={"raters": 4, "alpha": figure(0.41), "intra_rater": figure(0.8)}),
        "counted": each,
    }
    values |= fields
    if values["subset"]:
        nothing = {"intra_rater": None}
        values |= {name: values[name].model_copy(update=nothing) for name in ("everybody", "counted")}
    return Agreement(**values)


def build_portrait(**fields: Any) -> Portrait:
    names = (
        "quality_chosen quality_rejected quality_gap balance adherence_chosen adherence_rejected adherence_gap "
        "coverage_chosen coverage_rejected direction words_gap"
    )
    values: dict[str, Any] = {name: figure(0.5) for name in names.split()} | {
        "pairs": 3,
        "users": 2,
        "questions": {"factuality": figure(0.06, 0.02)},
        "equivalence": Equivalence(margin=0.2, p=0.0123, ci90=(-0.11, 0.12), equivalent=True, users=2),
    }
    return Portrait(**(values | fields))


def untested(reason: str) -> Equivalence:
    return Equivalence(margin=0.2, p=None, ci90=None, equivalent=None, users=0, reason=reason)


def empty_portrait() -> Portrait:
    """That of no pairs: nothing is known."""
    unknown = {name: UNKNOWN for name, field in Portrait.model_fields.items() if field.annotation is Figure}
    return build_portrait(
        pairs=0, users=0, questions={"factuality": UNKNOWN}, equivalence=untested("nobody rated them"), **unknown
    )


def build_report(**fields: Any) -> Report:
    careless = RaterFound(
        round="quality",
        rater="r-2",
        items=6,
        gold_right=1,
        gold_done=4,
        median_seconds=None,
        repeats_same=None,
        left_out=("too few gold items right",),
    )
    careful = careless.model_copy(update={"rater": "r-1", "gold_right": 4, "left_out": ()})
    values: dict[str, Any] = {
        "inputs": "i1",
        "settings": ValidationSettings(),
        "simulated": False,
        "raters": (careful, careless),
        "uncounted": {"quality": {"withdrawn by the rater": 2}},
        "agreement": (build_agreement(), build_agreement(subset="Society_and_Culture")),
        "rated": build_portrait(),
        "validated": build_portrait(quality_gap=figure(0.02)),
        "blind": Blind(pairs=figure(0.66), votes=figure(0.63)),
        "judge": (JudgeFound(question="factuality", weights="quadratic", kappa=figure(0.44)),),
        "verdicts": {"validated": 1, "too few ratings": 2},
        "subsets": {"Art_and_Entertainment": (1, 3)},
        "gates": (Gate(name="equivalence", state="pass", said="p is below .05"),),
    }
    return Report(**(values | fields))


def build_verdict(pair_id: str, **fields: Any) -> Verdict:
    values: dict[str, Any] = {
        "pair_id": pair_id,
        "validated": True,
        "reasons": (),
        "quality_chosen": 4.5,
        "quality_rejected": 4.0,
        "adherence_chosen": 4.5,
        "adherence_rejected": 2.0,
        "votes": (3, 0, 0),
        "raters_quality": 3,
        "raters_rubric": 3,
    }
    return Verdict(**(values | fields))


def build_rating(pair_id: str, **fields: Any) -> Rating:
    values: dict[str, Any] = {
        "round": "quality",
        "pair_id": pair_id,
        "item": f"i-{pair_id}",
        "kind": "pair",
        "rater": "r-1",
        "senior": False,
        "question": "factuality",
        "shown": "A",
        "label": "chosen",
        "value": 4,
        "submitted_at": "2026-11-02T10:00:00Z",
    }
    return Rating(**(values | fields))


def build_round(ratings: Iterable[Rating], *, name: Round = "quality", senior: Iterable[Rating] = ()) -> RatedRound:
    ratings = tuple(ratings)
    return RatedRound(
        round=name,
        settings=AnnotationSettings(),
        scales=(Scale("factuality", "rating", marks=MARKS), Scale("better", "choice", options=("A", "B", "equal"))),
        pairs=frozenset(rating.pair_id for rating in ratings if rating.pair_id and rating.kind == "pair"),
        ratings=ratings,
        senior=tuple(senior),
        raters=(Care("r-1", 3, 4, 4, None, {}), Care("r-2", 3, 1, 4, None, {})),
        uncounted={},
    )


def build_validation(pairs: Iterable[Pair], validated: Iterable[Pair] = (), **fields: Any) -> Validation:
    """Of `pairs`, those in `validated` are; two raters gave marks to each, of whom the second is left out."""
    good = {pair.pair_id for pair in validated}
    names = [pair.pair_id for pair in pairs]
    verdicts = {
        name: build_verdict(name, validated=name in good, reasons=() if name in good else ("too few ratings",))
        for name in names
    }
    ratings = [build_rating(name, rater=rater) for name in names for rater in ("r-1", "r-2")]
    rounds = (build_round(ratings),) if ratings else ()
    values: dict[str, Any] = {"report": build_report(), "verdicts": verdicts, "rounds": rounds}
    return Validation(**(values | fields))
