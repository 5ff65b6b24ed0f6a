"""One LaMP-QA row: raw values in, either checked fields or a list of everything that is wrong with them out."""

from __future__ import annotations

from dataclasses import dataclass

from prbgen.schema import Post, RubricAspect
from prbgen.sources.fields import FaultyRow, Fields, Notes, kind_of

FIELDS = frozenset({"id", "question", "profile", "rubric_aspects", "narrative", "category"})


@dataclass(frozen=True, slots=True)
class LampQaRow:
    """A row that is in order. `replaced` counts the characters that could not be stored."""

    id: str
    question: str
    profile: tuple[Post, ...]
    rubric_aspects: tuple[RubricAspect, ...] | None
    narrative: str | None
    category: str | None
    replaced: int


def check_row(value: object) -> LampQaRow | FaultyRow:
    """Check one row: any JSON value, or what Parquet holds. Columns that are not known here do not matter."""
    if not isinstance(value, dict):
        return FaultyRow((f"is {kind_of(value)}, should be an object",))
    notes = Notes()
    row = Fields(value, "", notes)
    checked = LampQaRow(
        id=row.text("id", blank=False),
        question=row.text("question", blank=False),
        profile=row.posts("profile"),
        rubric_aspects=row.aspects("rubric_aspects") or None,
        narrative=row.optional_text("narrative"),
        category=row.optional_text("category"),
        replaced=notes.replaced,
    )
    if notes.faults:
        return FaultyRow(tuple(notes.faults), checked.id or None)
    return checked
