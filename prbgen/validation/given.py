"""What each rater says of each pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from prbgen.annotation.rated import RatedRound
from prbgen.schema import Rating, Round

QUALITY = ("factuality", "relevance", "helpfulness")
ADHERENCE, COVERS, BETTER = "adherence", "covers", "better"

Vote = Literal["chosen", "rejected", "equal"]


@dataclass(frozen=True)
class Given:
    """What one rater says of one pair in one round.

    `marks` are of chosen and rejected, of each question that the rater answered with a mark for both: one without the
    other, or "can't tell", says nothing about how they differ. `ticks` are the aspects (from 1) of chosen and rejected
    that the rater ticks, null where not ticked for both; `vote` which suits the asker better, null where not given.
    """

    marks: Mapping[str, tuple[int, int]]
    ticks: tuple[tuple[int, ...], tuple[int, ...]] | None
    vote: Vote | None


def given(ratings: Iterable[Rating], left_out: Collection[str] = ()) -> dict[str, list[Given]]:
    """What raters say of pairs, {pair_id: one for each rater}; gold items, repeats and raters `left_out` aside."""
    of: dict[str, dict[str, list[Rating]]] = defaultdict(lambda: defaultdict(list))
    for rating in ratings:
        if rating.kind == "pair" and rating.pair_id is not None and rating.rater not in left_out:
            of[rating.pair_id][rating.rater].append(rating)
    return {pair_id: [_given(each) for each in by_rater.values()] for pair_id, by_rater in of.items()}


def asked(round_: RatedRound | None) -> frozenset[str]:
    """The questions that a round asks; none if it was not rated."""
    return frozenset(scale.question for scale in round_.scales) if round_ else frozenset()


def round_of(rounds: Iterable[RatedRound], name: Round) -> RatedRound | None:
    """The round of that name, if it was rated."""
    return next((each for each in rounds if each.round == name), None)


def why_missing(rounds: Iterable[RatedRound], name: Round, *questions: str) -> str:
    """Why some pairs have no answer to any of these questions of a round."""
    round_ = round_of(rounds, name)
    if round_ is None:
        return f"round {name} was not rated"
    if not asked(round_) & set(questions):
        return f"round {name} does not ask {' or '.join(questions)}"
    return f"no rating of these pairs counts in round {name}"


def _given(ratings: Iterable[Rating]) -> Given:
    of_answer = {(each.question, each.label): each.value for each in ratings if each.shown}
    votes = [each.label for each in ratings if each.question == BETTER and not each.shown]
    marks = {}
    ticks = None
    for question in {question for question, _ in of_answer}:
        chosen, rejected = (of_answer.get((question, label)) for label in ("chosen", "rejected"))
        if isinstance(chosen, int) and isinstance(rejected, int):
            marks[question] = (chosen, rejected)
        if question == COVERS and isinstance(chosen, tuple) and isinstance(rejected, tuple):
            ticks = (chosen, rejected)
    return Given(marks, ticks, votes[0] if votes else None)
