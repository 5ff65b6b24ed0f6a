"""Who asked: questions whose profiles share a long enough post are one user's."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from prbgen.sources.text import normalised

SHARED_FROM = 200  # characters of normalised text: shorter posts may be alike by chance


class Users:
    """Takes the profiles of all questions and tells which belong together.

    A post is kept as a 64-bit hash: 12 bytes each, and about 25 more while the groups are made.
    """

    def __init__(self) -> None:
        self._hashes = array("Q")
        self._questions = array("I")
        self._count = 0

    def add(self, posts: Iterable[str]) -> None:
        """Take the posts of the next question."""
        for post in posts:
            text = normalised(post)
            if len(text) >= SHARED_FROM:
                digest = blake2b(text.encode(), digest_size=8).digest()
                self._hashes.append(int.from_bytes(digest))
                self._questions.append(self._count)
        self._count += 1

    def first_questions(self) -> list[int]:
        """For each question, in the order they came, the number of its user's first one. Ends the taking."""
        first = list(range(self._count))

        def root(question: int) -> int:
            while first[question] != question:
                first[question] = first[first[question]]
                question = first[question]
            return question

        for one, other in self._links():
            low, high = sorted((root(one), root(other)))
            first[high] = low
        return [root(question) for question in first]

    def _links(self) -> Iterable[Sequence[int]]:
        """Pairs of questions that share a post: enough to connect all that do."""
        import numpy as np

        hashes = np.frombuffer(self._hashes, dtype=np.uint64)
        order = np.argsort(hashes, kind="stable")
        questions = np.frombuffer(self._questions, dtype=np.uint32)[order]
        del order
        hashes.sort()
        shared = hashes[1:] == hashes[:-1]
        pairs = questions[:-1][shared].astype(np.uint64) << np.uint64(32) | questions[1:][shared]
        for pair in np.unique(pairs):
            yield divmod(int(pair), 1 << 32)


def user_key(subset: str, question_id: str) -> str:
    """The key of the user whose first question, in source order, is this one."""
    return "u" + blake2b(f"{subset}\x1f{question_id}".encode(), digest_size=6).hexdigest()
