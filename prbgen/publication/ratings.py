"""The ratings as a file of the dataset: who said what under which pseudonym, so that others can check the verdicts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prbgen.publication.names import RATINGS
from prbgen.schema import Rating
from prbgen.validation.validation import Validation

RATINGS_FILE = f"{RATINGS}/{RATINGS}.parquet"


@dataclass(frozen=True)
class RatingsWritten:
    """How many ratings were written, by how many raters, and how many are of pairs that the dataset does not have."""

    ratings: int
    raters: int
    of_others: int


def write_ratings(folder: Path, validation: Validation, published: Collection[str]) -> RatingsWritten | None:
    """Write the ratings of all rounds to `RATINGS_FILE` in `folder`; null if there are none: then no file either.

    Those of raters who are left out are among them, and those of pairs that are not `published`: whom and what was
    selected can be checked. Times and free text, which could tell who it was, are not.

    Raises:
        OSError: the file cannot be written.
    """
    from prbgen.publication.features import arrow_schema, ratings_features
    from prbgen.publication.parquet import ParquetFiles

    raters: set[str] = set()
    count = of_others = 0
    with ParquetFiles(arrow_schema(ratings_features())) as files:
        for row in rating_rows(validation):
            files.add(folder / RATINGS_FILE, row, 0)
            count += 1
            raters.add(row["rater"])
            of_others += row["pair_id"] not in published
    return RatingsWritten(count, len(raters), of_others) if count else None


def rating_rows(validation: Validation) -> Iterator[dict[str, Any]]:
    """The rows of the ratings file, round by round."""
    left_out = {(rater.round, rater.rater): "; ".join(rater.left_out) or None for rater in validation.report.raters}
    for rated in validation.rounds:
        # As they came, their order would tell of the times.
        for rating in sorted((*rated.ratings, *rated.senior), key=_place):
            reason = None if rating.senior else left_out.get((rating.round, rating.rater))
            yield _row(rating) | {"left_out": reason}


def _place(rating: Rating) -> tuple[str, ...]:
    return rating.item, rating.rater, "senior" if rating.senior else "", rating.question, rating.shown or ""


def _row(rating: Rating) -> dict[str, Any]:
    value = rating.value
    return {
        "round": rating.round,
        "pair_id": rating.pair_id,
        "item": rating.item,
        "kind": rating.kind,
        "rater": rating.rater,
        "senior": rating.senior,
        "question": rating.question,
        "shown": rating.shown,
        "label": rating.label,
        "mark": value if isinstance(value, int) else None,
        "choice": value if isinstance(value, str) else None,
        "aspects": list(value) if isinstance(value, tuple) else None,
    }
