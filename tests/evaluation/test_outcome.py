from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.item import Letter
from prbgen.evaluation.outcome import item_of, lacking_item, outcome_of
from prbgen.evaluation.scorers.scorer import Found

PAIR = PreparedPair(
    pair_id="p1",
    id="1",
    question="Which novel?",
    chosen="A short one by Calvino.",
    rejected="Any novel.",
    category="books",
    subset="Art",
    user_key="u",
    strategy="avoid",
    generator="m",
)
letters = st.sampled_from(("A", "B"))
scores = st.floats(allow_nan=False, allow_infinity=False)


def judged(ab: Letter | None, ba: Letter | None) -> Found:
    return Found(0, 0, verdict_ab=ab, verdict_ba=ba)


def rated(chosen: float, rejected: float, posts: int = 0) -> Found:
    return Found(0, posts, scores=(chosen, rejected))


@pytest.mark.parametrize(
    ("ab", "ba", "outcome"),
    [
        ("A", "B", "win"),
        ("B", "A", "loss"),
        ("A", "A", "tie"),
        ("B", "B", "tie"),
        ("A", None, "win"),
        (None, "B", "win"),
        ("B", None, "loss"),
        (None, "A", "loss"),
    ],
)
def test_a_judge_prefers_what_it_names_in_both_orders_or_in_the_one_that_it_saw(
    ab: Letter | None, ba: Letter | None, outcome: str
) -> None:
    assert outcome_of(judged(ab, ba)) == outcome


@given(scores, scores)
def test_the_higher_score_wins_and_equal_ones_tie(chosen: float, rejected: float) -> None:
    found = outcome_of(rated(chosen, rejected))
    mirrored = outcome_of(rated(rejected, chosen))
    assert found == ("tie" if chosen == rejected else "win" if chosen > rejected else "loss")
    assert mirrored == {"win": "loss", "loss": "win", "tie": "tie"}[found]


def test_an_item_says_what_the_pair_is_and_what_was_shown() -> None:
    item = item_of(PAIR, rated(0.5, 0.25, posts=2), most=3)
    assert (item.pair_id, item.subset, item.category, item.strategy) == ("p1", "Art", "books", "avoid")
    assert (item.outcome, item.truncated, item.posts_shown) == ("win", True, 2)
    assert (item.words_chosen, item.words_rejected) == (5, 2)
    assert item.reason is None


def test_what_could_not_be_scored_has_a_reason_and_no_scores() -> None:
    item = item_of(PAIR, Found(0, 0, reason="too long"), most=3)
    assert (item.outcome, item.reason, item.truncated) == ("unscored", "too long", True)
    assert (item.score_chosen, item.score_rejected, item.verdict_ab, item.verdict_ba) == (None,) * 4


def test_a_pair_that_lacks_something_was_shown_to_nobody() -> None:
    item = lacking_item(PAIR.model_copy(update={"lacking": "no question"}))
    assert (item.outcome, item.reason, item.truncated, item.posts_shown) == ("unscored", "no question", False, 0)
