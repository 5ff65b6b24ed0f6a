"""Which pairs of a run are published, and in which split."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from prbgen.errors import InputError
from prbgen.publication.names import split_name
from prbgen.run import read_records
from prbgen.schema import Pair


@dataclass(frozen=True)
class Selection:
    """Those pairs of a pairs.jsonl that people have validated, by pair_id, and the others too if `unvalidated`.

    The pairs are read anew each time, one at a time and in order.

    Raises:
        InputError: a line is no pair, a pair_id comes twice, or the split of one cannot be published.
    """

    pairs: Path
    validated: Collection[str] = frozenset()
    unvalidated: bool = True

    def placed(self) -> Iterator[tuple[Pair, str | None]]:
        """Every pair with the split that it is published in; null for those that are left out."""
        seen: set[str] = set()
        for pair in read_records(self.pairs, Pair):
            if pair.pair_id in seen:
                raise InputError(
                    f"{self.pairs}: pair_id {pair.pair_id} comes twice; everything is joined by it, so remove one"
                )
            seen.add(pair.pair_id)
            validated = pair.pair_id in self.validated
            published = validated or self.unvalidated
            yield pair, split_name(pair.provenance.split, validated=validated) if published else None

    def published(self) -> Iterator[Pair]:
        """The pairs that are published."""
        return (pair for pair, split in self.placed() if split is not None)
