"""How fast a rater works, from the times at which items were submitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from prbgen.annotation.response import Response

BREAK = 600.0  # seconds; a longer gap between two submissions is no work
LEAST_GAPS = 3  # fewer tell nothing


@dataclass(frozen=True)
class Gap:
    """The seconds that a rater took for an item: since the submission before, breaks left out."""

    item: str
    seconds: float


def gaps(responses: Iterable[Response]) -> list[Gap]:
    """The working times of one rater, by the submitted items that they ended with."""
    return gaps_between({each.item: each.submitted_at for each in responses if each.submitted_at})


def gaps_between(times: Mapping[str, str]) -> list[Gap]:
    """The same from {item: when it was submitted}."""
    timed = sorted((moment(at), item) for item, at in times.items())
    found = (Gap(item, (after - before).total_seconds()) for (before, _), (after, item) in pairwise(timed))
    return [gap for gap in found if gap.seconds <= BREAK]


def pace(of: Sequence[Gap]) -> float | None:
    """Items an hour while at work; null where too little is known."""
    seconds = sum(gap.seconds for gap in of)
    return len(of) * 3600 / seconds if len(of) >= LEAST_GAPS and seconds > 0 else None


def median_seconds(of: Sequence[Gap]) -> float | None:
    """The usual seconds an item; null where too little is known."""
    return median(gap.seconds for gap in of) if len(of) >= LEAST_GAPS else None


def moment(iso: str) -> datetime:
    """An ISO 8601 time in UTC, as responses have it."""
    return datetime.fromisoformat(iso)
