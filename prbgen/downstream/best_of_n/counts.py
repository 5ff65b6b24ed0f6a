"""What a policy's answers come to, counted row by row."""

from __future__ import annotations

from collections import Counter

from prbgen.digest import Digest
from prbgen.downstream.candidates import CandidateRow, kind_of


class Counts:
    """Rows of `n` candidates each: see `Sampling` for what is counted."""

    def __init__(self, n: int) -> None:
        self.questions = self.candidates = self.truncated = 0
        self.reasons: Counter[str] = Counter()
        self._n = n
        self._digest = Digest()

    @property
    def missing(self) -> int:
        """How many candidates have no text, or were not written at all."""
        return self.reasons.total()

    @property
    def answers(self) -> str:
        """A hash over all candidates, in order."""
        return self._digest.hexdigest()

    def add(self, row: CandidateRow) -> None:
        """Count the next row."""
        self.questions += 1
        for each in row.candidates:
            if each.text is None:
                self.reasons[kind_of(each.reason)] += 1
            else:
                self.candidates += 1
                self.truncated += each.truncated
        if unwritten := self._n - len(row.candidates):
            self.reasons[kind_of(row.reason)] += unwritten
        self._digest.add_texts(row.key, *(each.model_dump_json() for each in row.candidates))
