"""Who asked: questions whose profiles share a long enough post are one user's."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from prbgen.schema import Post
from prbgen.sources.text import normalised

SHARED_FROM = 200  # characters of normalised text: shorter posts may be alike by chance


def post_keys(profile: Iterable[Post]) -> set[int]:
    """The posts by which a user can be told: 64-bit hashes of those of `SHARED_FROM` normalised characters or more."""
    return _post_keys(post.text for post in profile)


def question_key(text: str) -> str:
    """The question as it is compared: two of equal keys are one question; "" is none."""
    return normalised(text)


class Users:
    """Takes the profiles of all questions and tells which belong together.

    A post is kept as a 64-bit hash: 12 bytes each, and about 25 more while the groups are made.
    """

    def __init__(self) -> None:
        self._hashes = array("Q")
        self._questions = array("I")
        self._count = 0

    def add(self, posts: Iterable[str], question: str = "") -> None:
        """Take the posts of the next question; those with the same question text, if any is given, are one user's."""
        for key in _post_keys(posts):
            self._take(key)
        if key_text := question_key(question):
            self._take(_hash(key_text, b"question"))
        self._count += 1

    def _take(self, key: int) -> None:
        self._hashes.append(key)
        self._questions.append(self._count)

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


def _post_keys(posts: Iterable[str]) -> set[int]:
    texts = (normalised(post) for post in posts)
    return {_hash(text, b"") for text in texts if len(text) >= SHARED_FROM}


def _hash(text: str, person: bytes) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8, person=person).digest())
