"""What people tell from the posts alone."""

from __future__ import annotations

from prbgen.validation.blind import blind
from tests.validation.marked import a_pair, a_round, rubric

PAIRS = [a_pair("p", "u"), a_pair("q", "v"), a_pair("unseen", "w")]
ASKS = ("adherence", "better")


def vote(better: str) -> dict[str, object]:
    return rubric(4, 2, better, covers=None)


def test_pairs_go_by_their_majority_and_votes_one_by_one() -> None:
    said = {
        "p": {"r1": vote("chosen"), "r2": vote("chosen"), "r3": vote("rejected")},
        "q": {"r1": vote("chosen"), "r2": vote("equal")},
    }
    found = blind(PAIRS, [a_round("blind", said, asks=ASKS)], {})
    assert found
    assert (found.pairs.value, found.pairs.n) == (0.5, 2)
    assert (found.votes.value, found.votes.n) == (0.6, 5)
    assert found.votes.ci95


def test_raters_left_out_of_the_blind_round_and_senior_ones_have_no_vote() -> None:
    said = {"p": {"r1": vote("chosen"), "r2": vote("rejected")}, "q": {"r2": vote("rejected")}}
    rounds = [a_round("blind", said, senior={"q": {"s": vote("rejected")}}, asks=ASKS)]
    found = blind(PAIRS, rounds, {"blind": ["r2"], "rubric": ["r1"]})
    assert found
    assert (found.pairs.value, found.pairs.n, found.votes.n) == (1, 1, 1)


def test_no_blind_round_is_null() -> None:
    assert blind(PAIRS, [a_round("rubric", {"p": {"r1": vote("chosen")}})], {}) is None


def test_a_blind_round_without_votes_says_why() -> None:
    unrated = blind(PAIRS, [a_round("blind", {"p": {}}, asks=ASKS)], {})
    assert unrated
    assert (unrated.pairs.value, unrated.pairs.reason) == (None, "no rating of these pairs counts in round blind")
    unasked = blind(PAIRS, [a_round("blind", {"p": {"r1": {"adherence": (4, 2)}}}, asks=["adherence"])], {})
    assert unasked
    assert unasked.votes.reason == "round blind does not ask better"
