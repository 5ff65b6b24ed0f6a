"""Which users are for validation: drawn by a hash of their questions, so that the order of the data does not matter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from hashlib import blake2b


def validation_users(users: Mapping[str, int], wanted: int, seed: int) -> frozenset[int]:
    """Users with `wanted` questions together, or fewer: whoever has more than are still
    wanted when it is their turn is passed over, so that other users decide with.

    Args:
        users: Who asked each question, by the question's name.
        wanted: How many questions.
        seed: Another one draws other users.
    """
    drawn = defaultdict[int, list[bytes]](list)
    for question, user in users.items():
        drawn[user].append(blake2b(f"{seed}\x1f{question}".encode("utf-8", "surrogatepass"), digest_size=16).digest())
    chosen, room = set(), wanted
    for user in sorted(drawn, key=lambda each: min(drawn[each])):
        if len(drawn[user]) <= room:
            chosen.add(user)
            room -= len(drawn[user])
    return frozenset(chosen)
