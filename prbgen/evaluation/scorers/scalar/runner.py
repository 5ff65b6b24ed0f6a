"""Batches through the model: what memory does not suffice for goes in parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from prbgen.evaluation.scorers.scalar.compute_path import ComputePath, Work
from prbgen.evaluation.scorers.scalar.memory import FAULTS, free, sparing
from prbgen.evaluation.scorers.scalar.passes import Passes
from prbgen.evaluation.scorers.scalar.plan import Packing, Row, batches
from prbgen.evaluation.scorers.scalar.quiet import quiet

# The prefix is attended to, but not computed, for each branch: these tokens count as one.
_ATTENDED = 8


class Runner:
    """A model that scores rows in the way that was found for it. Halves `packing.tokens` where memory is short."""

    def __init__(self, passes: Passes, path: ComputePath, tokens: int) -> None:
        self._passes, self._path = passes, path
        self.packing = Packing(tokens, path.rows, path.shares, passes.pad)

    def __call__(self, rows: Sequence[Row], prefix: int) -> list[float | str]:
        """The score of each row, or why there is none; `prefix` tokens that all begin with are computed once."""
        work: Work = self._path.plain
        weights = [len(row) for row in rows]
        with quiet():
            if prefix and (branches := self._branches(rows[0][:prefix])):
                work, weights = branches, [len(row) - prefix + prefix // _ATTENDED for row in rows]
            found: dict[int, float | str] = {}
            for places in batches(weights, self.packing.tokens, self.packing.rows):
                scores = sparing(work, [rows[place] for place in places], self._lacks)
                found |= zip(places, scores, strict=True)
        return [found[place] for place in range(len(rows))]

    def _branches(self, tokens: Row) -> Work | None:
        try:
            return partial(self._passes.branches, self._passes.prefix(tokens))
        except FAULTS:
            pass
        free()  # the whole is longer still, but may be computed in less memory: no cache is kept
        return None

    def _lacks(self) -> None:
        self.packing.tokens = max(1, self.packing.tokens // 2)
