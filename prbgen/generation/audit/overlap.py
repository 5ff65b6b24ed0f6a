"""Users and questions that are in another split or dataset, too."""

from __future__ import annotations

from array import array
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from prbgen.generation.audit.results import Overlap
from prbgen.schema import Post, PreferencePair
from prbgen.sources.users import post_keys, question_key

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_EXAMPLES = 20


class Row(Protocol):
    """What is looked at of the other data's rows: LaMP-QA questions have it, and pairs of any origin."""

    @property
    def question(self) -> str:
        """The text of the question."""

    @property
    def profile(self) -> tuple[Post, ...] | None:
        """Earlier posts of the asker; null where the data has none."""


class OtherData:
    """The other split, taken row by row: of a question and of each post it keeps a 64-bit hash."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.has_profiles = False
        self._posts = array("Q")
        self._sorted: npt.NDArray[np.uint64] | None = None
        self._questions: set[bytes] = set()

    def add(self, row: Row) -> None:
        """Take the next row. All are taken before the first is looked for."""
        self._questions.add(_hash(question_key(row.question)))
        if row.profile is not None:
            self.has_profiles = True
            self._posts.extend(post_keys(row.profile))

    def has_question(self, text: str) -> bool:
        """Whether a row has this question."""
        return _hash(question_key(text)) in self._questions

    def has_user(self, profile: tuple[Post, ...]) -> bool:
        """Whether a row's profile has one of these posts."""
        import numpy as np

        if self._sorted is None:
            self._sorted = np.unique(np.frombuffer(self._posts, dtype=np.uint64))
        keys = np.array(sorted(post_keys(profile)), dtype=np.uint64)
        places = np.searchsorted(self._sorted, keys)
        inside = places < len(self._sorted)
        return bool((self._sorted[places[inside]] == keys[inside]).any())


class Overlaps:
    """Takes the rows of the audited set one by one and looks for them in the other data."""

    def __init__(self, other: OtherData) -> None:
        self._other = other
        self._has_profiles = False
        self._users: set[str] = set()
        self._questions: set[bytes] = set()
        self._rows: dict[str, None] = {}

    def add(self, pair: PreferencePair) -> None:
        """Look for the row's user and question."""
        if self._other.has_question(pair.question):
            self._questions.add(_hash(question_key(pair.question)))
            self._rows[pair.id] = None
        if pair.profile is not None:
            self._has_profiles = True
            if self._other.has_user(pair.profile):
                self._users.add(pair.user_key)
                self._rows[pair.id] = None

    def found(self) -> Overlap:
        """What was found so far; users and questions count once, whatever pairs they have."""
        comparable = self._has_profiles and self._other.has_profiles
        return Overlap(
            other=self._other.name,
            users=len(self._users) if comparable else None,
            questions=len(self._questions),
            examples=tuple(self._rows)[:_EXAMPLES],
        )


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
