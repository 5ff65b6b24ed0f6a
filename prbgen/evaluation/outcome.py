"""Who wins a pair: from what a model said of it to a line of items.jsonl."""

from __future__ import annotations

from typing import Any

from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.item import Outcome, ScoredItem
from prbgen.evaluation.scorers.scorer import Found
from prbgen.text import count_words

_AS_A = {"A": "chosen", "B": "rejected", None: None}
_AS_B = {"A": "rejected", "B": "chosen", None: None}


def item_of(pair: PreparedPair, found: Found, most: int) -> ScoredItem:
    """A pair that a model was asked about, with `most` posts meant to be shown."""
    chosen, rejected = found.scores or (None, None)
    return _item(
        pair,
        score_chosen=chosen,
        score_rejected=rejected,
        verdict_ab=found.verdict_ab,
        verdict_ba=found.verdict_ba,
        outcome=outcome_of(found),
        reason=found.reason,
        posts_shown=found.posts,
        # A planner that could not take them all has seen fewer, too.
        truncated=found.posts < most or pair.posts_lost > 0,
    )


def lacking_item(pair: PreparedPair) -> ScoredItem:
    """A pair that no model can be asked about."""
    return _item(pair, outcome="unscored", reason=pair.lacking)


def outcome_of(found: Found) -> Outcome:
    """A win if chosen is preferred; equal scores, and orders that disagree, are a tie."""
    if found.reason is not None:
        return "unscored"
    if found.scores:
        chosen, rejected = found.scores
        return "tie" if chosen == rejected else "win" if chosen > rejected else "loss"
    preferred = {_AS_A[found.verdict_ab], _AS_B[found.verdict_ba]} - {None}
    return "tie" if len(preferred) != 1 else "win" if preferred == {"chosen"} else "loss"


def _item(pair: PreparedPair, **found: Any) -> ScoredItem:
    return ScoredItem(
        pair_id=pair.pair_id,
        id=pair.id,
        subset=pair.subset,
        category=pair.category,
        strategy=pair.strategy,
        generator=pair.generator,
        user_key=pair.user_key,
        words_chosen=count_words(pair.chosen),
        words_rejected=count_words(pair.rejected),
        **found,
    )
