"""Whose posts stand in for the asker's own under `shuffled`: those of another user of the same category."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b

from prbgen.evaluation.conditions.pair import PreparedPair

# So many users of a category are at hand in each of two samples that do not depend on the order of the data.
USERS = 32


@dataclass(frozen=True, slots=True)
class Stranger:
    """A user, by the pair of theirs that can show most `posts`: its `place` in the data.

    `pair` and `user` are hashes of their keys, by which samples are drawn and equals are told apart.
    """

    place: int
    posts: int
    pair: int
    user: int


@dataclass
class _Group:
    """The users of a category that may stand in: those of lowest hash, and those with most posts. The second sample
    has somebody with as many posts as an asker whenever any other user has.
    """

    drawn: dict[int, Stranger] = field(default_factory=dict)
    richest: dict[int, Stranger] = field(default_factory=dict)

    def add(self, stranger: Stranger) -> None:
        _keep(self.drawn, stranger, lambda each: (each.user,))
        _keep(self.richest, stranger, lambda each: (-each.posts, each.user))

    def others(self, user: int, posts: int) -> list[Stranger]:
        """The users but this one who can show so many posts, by their hashes."""
        found = (self.drawn | self.richest).values()
        fit = (each for each in found if each.user != user and each.posts >= posts)
        return sorted(fit, key=lambda each: each.user)


class Strangers:
    """Takes all pairs with their own posts, then tells for each of them who stands in.

    At most `2 * USERS` users of a category are kept, a few numbers each. Neither the order of the data nor how many
    pairs are evaluated changes who it is.
    """

    def __init__(self) -> None:
        self._groups: defaultdict[tuple[str, str | None], _Group] = defaultdict(_Group)

    def add(self, place: int, pair: PreparedPair) -> None:
        """Take the pair at this place."""
        if not pair.posts:
            return
        stranger = Stranger(place, len(pair.posts), _hash(pair.key), _hash(pair.user_key))
        # Null: all of the subset, for pairs that have no category.
        for category in {pair.category or None, None}:
            self._groups[pair.subset, category].add(stranger)

    def of(self, pair: PreparedPair) -> list[Stranger]:
        """Who may stand in for this asker, in the order of choice: those who can show as many posts."""
        group = self._groups.get((pair.subset, pair.category or None), _Group())
        others = group.others(_hash(pair.user_key), len(pair.posts))
        first = _hash(pair.key) % len(others) if others else 0
        return others[first:] + others[:first]


def _keep(users: dict[int, Stranger], stranger: Stranger, order: Callable[[Stranger], tuple[int, ...]]) -> None:
    known = users.get(stranger.user, stranger)
    users[stranger.user] = min(known, stranger, key=lambda each: (-each.posts, each.pair))
    if len(users) > USERS:
        del users[max(users.values(), key=order).user]


def _hash(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8, person=b"stranger").digest())
