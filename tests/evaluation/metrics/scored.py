"""Scored pairs, written down or drawn."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from prbgen.evaluation.item import ScoredItem

_DRAWN = st.tuples(
    st.sampled_from(["win", "loss", "tie", "unscored"]),
    st.sampled_from(["u1", "u2", "u10", "Ä", "z", "u é"]),
    st.sampled_from(["Art", "Life"]),
    st.sampled_from([None, "avoid", "swap"]),
    st.tuples(st.integers(0, 60), st.integers(0, 60)),
    st.tuples(st.floats(-9, 9), st.floats(0.1, 5)),
    st.booleans(),
)


def item(number: int, outcome: str = "win", user: str = "", **changes: Any) -> ScoredItem:
    """A pair of a judge, with the verdicts that make its outcome; for changes with scores, of a scalar kind."""
    verdicts = {"win": ("A", "B"), "loss": ("B", "A"), "tie": ("A", "A"), "unscored": (None, None)}[outcome]
    fields: dict[str, Any] = {
        "pair_id": f"p{number}",
        "id": f"q{number}",
        "subset": "Art",
        "category": None,
        "strategy": None,
        "generator": None,
        "user_key": user or f"u{number}",
        "outcome": outcome,
        "reason": "too long" if outcome == "unscored" else None,
        "words_chosen": 100,
        "words_rejected": 100,
    }
    if "score_chosen" not in changes:
        fields |= dict(zip(("verdict_ab", "verdict_ba"), verdicts, strict=True))
    return ScoredItem(**fields | changes)


def scores(outcome: str, low: float, gap: float) -> dict[str, Any]:
    """Scores of two answers that make an outcome; none if it is unscored."""
    pair = {"win": (low + gap, low), "loss": (low, low + gap), "tie": (low, low)}.get(outcome)
    return dict(zip(("score_chosen", "score_rejected"), pair, strict=True)) if pair else {}


def item_lists(*, scalar: bool = False, min_size: int = 0) -> st.SearchStrategy[list[ScoredItem]]:
    """Lists of pairs of a judge, or of a scalar kind."""

    def made(drawn: list[Any]) -> list[ScoredItem]:
        return [
            item(
                number,
                outcome,
                user,
                subset=subset,
                strategy=strategy,
                category=f"{subset}/{strategy}" if strategy else None,
                words_chosen=words[0],
                words_rejected=words[1],
                truncated=truncated,
                **(scores(outcome, *score) if scalar else {}),
            )
            for number, (outcome, user, subset, strategy, words, score, truncated) in enumerate(drawn)
        ]

    return st.lists(_DRAWN, min_size=min_size, max_size=25).map(made)
