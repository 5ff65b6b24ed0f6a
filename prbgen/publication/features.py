"""The columns of a published dataset and their types: the released ones first, then ours; and those of the ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow
    from datasets import Features

RELEASED = ("id", "question", "profile", "rubric_aspects", "narrative", "category", "chosen", "rejected")
ADDED = ("pair_id", "user_key", "strategy", "generator")
COLUMNS = RELEASED + ADDED


def features() -> Features:
    """What `datasets` sees in every config and split, whatever is null there: strings, and lists of records of them."""
    from datasets import Features, List, Value

    def records(*fields: str) -> List:
        return List({field: Value("string") for field in fields})

    nested = {
        "profile": records("category", "id", "text"),
        "rubric_aspects": records("aspect", "evidence", "reason"),
    }
    return Features({column: nested.get(column, Value("string")) for column in COLUMNS})


def ratings_features() -> Features:
    """What `datasets` sees in the config of the ratings: of `mark`, `choice` and `aspects` at most one is not null."""
    from datasets import Features, List, Value

    text = Value("string")
    return Features(
        {
            "round": text,
            "pair_id": text,
            "item": text,
            "kind": text,
            "rater": text,
            "senior": Value("bool"),
            "question": text,
            "shown": text,
            "label": text,
            "mark": Value("int64"),
            "choice": text,
            "aspects": List(Value("int64")),
            "left_out": text,
        }
    )


def arrow_schema(of: Features | None = None) -> pyarrow.Schema:
    """The same (null: as pairs have it) for Arrow and Parquet.

    It goes without the note that `datasets` leaves for itself: `datasets` 3 cannot read what 4 and later write there,
    and every version infers the same features from the types alone.
    """
    schema: pyarrow.Schema = (of or features()).arrow_schema.remove_metadata()
    return schema
