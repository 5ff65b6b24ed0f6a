"""Whose ratings count: those of everybody who met the bar that was frozen when the round was pushed."""

from __future__ import annotations

from collections.abc import Iterable

from prbgen.annotation.rated import Care, RatedRound, below_bar
from prbgen.schema import Round
from prbgen.validation.report import RaterFound


def found_raters(rounds: Iterable[RatedRound]) -> tuple[RaterFound, ...]:
    """Every rater of every round, with the reasons to leave them out of it: see `below_bar`."""
    return tuple(
        RaterFound(
            round=rated.round,
            rater=care.rater,
            items=care.items,
            gold_right=care.gold_right,
            gold_done=care.gold_done,
            median_seconds=care.median_seconds,
            repeats_same=_repeats_same(care),
            left_out=below_bar(care, rated.settings),
        )
        for rated in rounds
        for care in rated.raters
    )


def left_out(raters: Iterable[RaterFound], of: Round) -> frozenset[str]:
    """The raters that are left out of a round."""
    return frozenset(found.rater for found in raters if found.round == of and found.left_out)


def _repeats_same(care: Care) -> float | None:
    same = sum(equal for equal, _ in care.again.values())
    of = sum(both for _, both in care.again.values())
    return same / of if of else None
