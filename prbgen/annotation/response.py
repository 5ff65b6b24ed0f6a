"""What a rater has sent for one item, however it came back."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from prbgen.schema import Record


class Response(Record):
    """One rater's answers to one item.

    `rater` is a pseudonym. `values` are by the names of what was asked, as the server or the sheet gave them. Times are
    ISO 8601 in UTC with microseconds and "Z", null where nothing tells them.
    """

    item: str
    rater: str
    status: Literal["submitted", "draft", "discarded"]
    values: dict[str, JsonValue]
    begun_at: str | None
    submitted_at: str | None
