"""Votes as personalised pairs: each with its user's other votes as the profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from prbgen.schema import Post, PreferencePair
from prbgen.sources.votes.vote import Vote
from prbgen.words.bm25 import Bm25

# What differs by less is a tie: the order of a sum must not change an order.
_DECIMALS = 6
# The split of what comes without one: nothing is trained on it here.
_SPLIT = "test"
# Votes that a profile holds at most: some people have voted hundreds of times.
MOST_POSTS = 100


def by_user(votes: Sequence[Vote]) -> dict[str, list[Vote]]:
    """The votes of each user. Users come in the order of their first votes, a user's votes by id."""
    found: defaultdict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        found[vote.user].append(vote)
    return {user: sorted(own, key=lambda vote: vote.id) for user, own in found.items()}


def personal_pairs(votes: Sequence[Vote], subset: str) -> Iterator[tuple[str, PreferencePair]]:
    """A pair of each vote, in the same order, with its place.

    A profile holds the user's other votes, those on the most similar questions first (BM25 of the questions; ties by
    id), `MOST_POSTS` at most. It never has one of the same conversation, nor one that shows either answer of the pair:
    both could tell which answer was preferred.
    """
    users = {user: _User(own) for user, own in by_user(votes).items()}
    for vote in votes:
        yield vote.where, _pair(vote, users[vote.user].profile(vote), subset)


class _User:
    """A user's votes, of which any can be left out."""

    def __init__(self, votes: Sequence[Vote]) -> None:
        self._votes = [(vote.conversation, vote.answers(), vote.post()) for vote in votes]
        self._index = Bm25([vote.question for vote in votes])

    def profile(self, vote: Vote) -> tuple[Post, ...]:
        """All but what could tell about this one."""
        shown, scores = vote.answers(), self._index.scores(vote.question)
        by_score = sorted(range(len(scores)), key=lambda place: -round(scores[place], _DECIMALS))
        told = (
            post
            for conversation, answers, post in map(self._votes.__getitem__, by_score)
            if conversation != vote.conversation and shown.isdisjoint(answers)
        )
        return tuple(islice(told, MOST_POSTS))


def _pair(vote: Vote, profile: tuple[Post, ...], subset: str) -> PreferencePair:
    return PreferencePair(
        id=vote.id,
        pair_id=vote.id,
        question=vote.question,
        chosen=vote.preferred,
        rejected=vote.other,
        profile=profile,
        rubric_aspects=None,
        narrative=None,
        category=vote.category,
        subset=subset,
        split=vote.split or _SPLIT,
        user_key=vote.user,
    )
