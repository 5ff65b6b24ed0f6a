"""What validation keeps of a pair: no texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prbgen.run import read_records
from prbgen.schema import Pair
from prbgen.text import count_words


@dataclass(frozen=True, slots=True)
class RatedPair:
    """A pair, rated or not.

    `aspects` counts those of its rubric. A judge's scores are of chosen and of rejected, null where it gave none:
    `judged_quality` has factuality, relevance and helpfulness (1 to 5), `judged_coverage` a 0, 1 or 2 for each aspect.
    `words` are of chosen and rejected.
    """

    pair_id: str
    user_key: str
    subset: str
    aspects: int
    words: tuple[int, int]
    judged_quality: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    judged_coverage: tuple[tuple[int, ...] | None, tuple[int, ...] | None]


def rated_pairs(path: Path) -> Iterator[RatedPair]:
    """The pairs of a pairs.jsonl, in its order.

    Raises:
        InputError: the file is missing, or a line is no pair.
    """
    for pair in read_records(path, Pair):
        yield RatedPair(
            pair_id=pair.pair_id,
            user_key=pair.user_key,
            subset=pair.provenance.subset,
            aspects=len(pair.rubric_aspects),
            words=(count_words(pair.chosen), count_words(pair.rejected)),
            judged_quality=_scores(pair, "quality"),
            judged_coverage=_scores(pair, "coverage"),
        )


def _scores(pair: Pair, check: str) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    found = {each.side: each.scores for each in pair.checks if each.name == check and each.scores}
    return found.get("chosen"), found.get("rejected")
