"""What is plainly known of a gold item's answer, so that only a careless rater misses it."""

from __future__ import annotations

from prbgen.annotation.items import Bound, opposite
from prbgen.schema import Pair, Round, Shown


def bounds(pair: Pair, round_: Round, own: Shown) -> tuple[Bound, ...]:
    """The bounds of a gold item about `pair` whose own answer stands on `own`; the other answers something else."""
    other = opposite(own)
    this, that = own.lower(), other.lower()
    if round_ == "quality":
        beside = Bound(name=f"relevance_{that}", most=2)
        # Nothing says that the own answer is to the point, unless a judge has seen it; facts and use stay open anyway.
        return (beside, Bound(name=f"relevance_{this}", least=3)) if _judged_relevant(pair) else (beside,)
    suits = (Bound(name=f"adherence_{that}", most=2), Bound(name="better", values=(own,)))
    if round_ == "blind":
        return suits
    aspects = len(pair.rubric_aspects)
    # Any answer may happen to meet a loose aspect ("clear language"); and a strict rater, who has read that naming an
    # aspect is not acting on it, may leave some out. Who ticks all, none or the wrong side is still found.
    return (
        Bound(name=f"covers_{this}", least=(aspects + 1) // 2),
        Bound(name=f"covers_{that}", most=aspects // 4),
        *suits,
    )


def _judged_relevant(pair: Pair) -> bool:
    for check in pair.checks:
        if check.name == "quality" and check.side == "chosen" and len(check.scores) == 3:
            return check.scores[1] >= 4
    return False
