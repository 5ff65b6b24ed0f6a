"""What a profile of votes has, and what it never has."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from prbgen.schema import PreferencePair
from prbgen.sources.text import normalised
from prbgen.sources.votes.personal import MOST_POSTS, personal_pairs
from prbgen.sources.votes.vote import CUT, SHOWN, Vote

QUESTIONS = ("Is tofu food?", "Which violin for a child?", "東京で何を食べる?", "¿Qué?", "!")


def vote(number: int, user: str = "u", **changes: str) -> Vote:
    told = {
        "id": f"v{number}",
        "user": user,
        "conversation": f"c{number}",
        "question": f"What about number {number}?",
        "preferred": f"<yes {number}>",
        "other": f"<no {number}>",
        "split": "",
        "where": f"line {number}",
    }
    return Vote(**(told | changes), category=None)


@st.composite
def votes(draw: st.DrawFn) -> list[Vote]:
    """Votes of a few users, of few conversations and with few different answers, so that all may collide."""
    drawn = draw(st.lists(st.tuples(*(st.integers(0, most) for most in (3, 9, 4, 12, 12))), max_size=30))
    return [
        vote(
            number,
            f"user{user}",
            # A conversation is one user's.
            conversation=f"user{user}-{conversation}",
            question=QUESTIONS[question],
            preferred=f"<answer {preferred}>",
            other=f"<ANSWER  {other}>",
        )
        for number, (user, conversation, question, preferred, other) in enumerate(drawn)
        if preferred != other
    ]


def made(of: Sequence[Vote]) -> list[PreferencePair]:
    return [pair for _, pair in personal_pairs(of, "PRISM")]


@given(votes())
def test_a_profile_has_the_users_own_votes_and_none_that_tells_this_one(given_votes: list[Vote]) -> None:
    by_id = {each.id: each for each in given_votes}
    for pair in made(given_votes):
        own = by_id[pair.id]
        assert (pair.user_key, pair.chosen, pair.rejected) == (own.user, own.preferred, own.other)
        profile = [by_id[post.id] for post in pair.profile or ()]
        assert {each.user for each in profile} <= {own.user}
        assert own.conversation not in {each.conversation for each in profile}
        shown = normalised(" ".join(post.text for post in pair.profile or ()))
        assert normalised(pair.chosen) not in shown
        assert normalised(pair.rejected) not in shown
        # And all others are there, each once.
        allowed = {
            each.id
            for each in given_votes
            if (each.user, each.conversation != own.conversation) == (own.user, True)
            and not {normalised(each.preferred), normalised(each.other)}
            & {normalised(own.preferred), normalised(own.other)}
        }
        assert sorted(each.id for each in profile) == sorted(allowed)


@given(votes(), st.randoms(use_true_random=False))
def test_the_order_of_the_data_changes_no_pair(given_votes: list[Vote], chance: random.Random) -> None:
    shuffled = chance.sample(given_votes, len(given_votes))
    assert [pair.id for pair in made(shuffled)] == [each.id for each in shuffled]
    assert {pair.id: pair for pair in made(shuffled)} == {pair.id: pair for pair in made(given_votes)}


def test_votes_on_similar_questions_come_first() -> None:
    asked = ["Which violin for a child?", "Is tofu food?", "Who made this violin?", "What else?"]
    first, *_ = made([vote(number, question=question) for number, question in enumerate(asked)])
    assert [post.id for post in first.profile or ()] == ["v2", "v1", "v3"]


def test_of_very_many_votes_those_on_similar_questions_are_kept() -> None:
    many = [vote(number, question=f"Fish or fowl {number}?") for number in range(MOST_POSTS)]
    near = [vote(number, question="Violin or viola?") for number in range(900, 950)]
    *_, last = made(many + near)
    profile = [post.id for post in last.profile or ()]
    assert len(profile) == MOST_POSTS
    assert set(profile[:49]) == {each.id for each in near[:49]}


def test_a_long_text_is_cut_between_words_and_says_so() -> None:
    whole, long = "w" * SHOWN, "word " * SHOWN
    text = vote(1, question=whole, preferred=long, other="x" * (SHOWN + 1)).post().text
    question, preferred, other = (part.partition(": ")[2] for part in text.split("\n\n"))
    assert question == whole
    assert preferred == ("word " * SHOWN)[:SHOWN].rstrip() + CUT
    assert other == "x" * SHOWN + CUT


@given(st.text(min_size=1, max_size=40).map(lambda part: part * 60))
def test_no_text_of_a_post_is_longer_than_it_says(text: str) -> None:
    post = vote(1, question="?", preferred=text, other="-").post().text
    assert len(post) <= SHOWN + len(CUT) + len(vote(1, question="?", preferred="", other="-").post().text)
