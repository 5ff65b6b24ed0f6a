"""Texts as sets of short passages, to say how alike two are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_LENGTH = 5
_MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)


def shingles(text: str) -> npt.NDArray[np.uint64]:
    """Hashes of all passages of five characters, sorted; a shorter text is one passage.

    Characters, not words: a question is often one sentence, of which one changed word would take half of the triples of
    words away, and some scripts put no spaces between words.
    """
    import numpy as np

    points = np.frombuffer(text.ljust(_LENGTH).encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    count = len(points) - _LENGTH + 1
    hashes = np.zeros(count, dtype=np.uint64)
    for place, factor in enumerate(_MIX):
        hashes += points[place : place + count] * np.uint64(factor)
    # Multiplying leaves the low bits weak; they are what a 32-bit sketch takes.
    hashes ^= hashes >> np.uint64(32)
    return np.unique(hashes)


class Similarity:
    """Jaccard similarity of texts by their shingles, of one to many at once."""

    def __init__(self, texts: Sequence[npt.NDArray[np.uint64]]) -> None:
        import numpy as np
        from scipy.sparse import csr_matrix

        self._sizes = np.array([len(each) for each in texts])
        known, columns = np.unique(np.concatenate(texts), return_inverse=True)
        ends = np.concatenate(([0], np.cumsum(self._sizes)))
        shape = (len(texts), len(known))
        self._rows = csr_matrix((np.ones(len(columns), dtype=np.int32), columns, ends), shape=shape)
        self._marks = np.zeros(len(known), dtype=np.int32)

    def to(self, one: int, others: Sequence[int]) -> list[float]:
        """How alike the text number `one` is to each of the others: 0 (nothing in common) to 1."""
        if not others:
            return []
        own = self._rows.indices[self._rows.indptr[one] : self._rows.indptr[one + 1]]
        self._marks[own] = 1
        shared = self._rows[others] @ self._marks
        self._marks[own] = 0
        similarity: list[float] = (shared / (self._sizes[others] + self._sizes[one] - shared)).tolist()
        return similarity
