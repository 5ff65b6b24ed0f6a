"""The columns of a published dataset and their types: the released ones first, then ours."""

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


def arrow_schema() -> pyarrow.Schema:
    """The same for Arrow and Parquet.

    It goes without the note that `datasets` leaves for itself: `datasets` 3 cannot read what 4 and later write there,
    and every version infers the same features from the types alone.
    """
    schema: pyarrow.Schema = features().arrow_schema.remove_metadata()
    return schema
