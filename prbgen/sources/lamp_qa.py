"""One LaMP-QA row: raw values in, either checked fields or a list of everything that is wrong with them out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from prbgen.schema import Post, RubricAspect
from prbgen.text import storable_and_count

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


@dataclass(frozen=True, slots=True)
class FaultyRow:
    """A row that is refused, with all that is wrong with it; `id` is null unless it can be read."""

    faults: tuple[str, ...]
    id: str | None = None


def check_row(value: object) -> LampQaRow | FaultyRow:
    """Check one row: any JSON value, or what Parquet holds. Columns that are not known here do not matter."""
    if not isinstance(value, dict):
        return FaultyRow((f"is {_kind(value)}, should be an object",))
    notes = _Notes()
    row = _Object(value, "", notes)
    checked = LampQaRow(
        id=row.text("id", blank=False),
        question=row.text("question", blank=False),
        profile=tuple(_post(post) for post in row.objects("profile")),
        rubric_aspects=_aspects(row),
        narrative=row.optional_text("narrative"),
        category=row.optional_text("category"),
        replaced=notes.replaced,
    )
    if notes.faults:
        return FaultyRow(tuple(notes.faults), checked.id or None)
    return checked


@dataclass(slots=True)
class _Notes:
    """What is noticed on the way through a row."""

    faults: list[str] = field(default_factory=list)
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class _Object:
    """One object of a row, where it stands in it, and the notes to add to. A faulty field reads as empty."""

    value: dict[str, Any]
    path: str
    notes: _Notes

    def text(self, name: str, *, blank: bool = True) -> str:
        if name not in self.value:
            return self._fault(name, "missing")
        value = self.value[name]
        if not isinstance(value, str):
            return self._fault(name, f"is {_kind(value)}, should be text")
        if not blank and not value.strip():
            return self._fault(name, "empty")
        text, replaced = storable_and_count(value)
        self.notes.replaced += replaced
        return text

    def optional_text(self, name: str) -> str | None:
        """Missing, null and blank all mean that nothing is known."""
        if self.value.get(name) is None:
            return None
        text = self.text(name)
        return text if text.strip() else None

    def objects(self, name: str) -> Iterator[_Object]:
        value = self.value.get(name)
        if not isinstance(value, list):
            self._fault(name, f"is {_kind(value)}, should be a list" if name in self.value else "missing")
            return
        for index, each in enumerate(value):
            path = f"{self.path}{name}[{index}]"
            if isinstance(each, dict):
                yield _Object(each, f"{path}.", self.notes)
            else:
                self.notes.faults.append(f"{path}: is {_kind(each)}, should be an object")

    def _fault(self, name: str, what: str) -> str:
        self.notes.faults.append(f"{self.path}{name}: {what}")
        return ""


def _post(post: _Object) -> Post:
    return Post(category=post.optional_text("category"), id=post.text("id"), text=post.text("text"))


def _aspects(row: _Object) -> tuple[RubricAspect, ...] | None:
    if row.value.get("rubric_aspects") is None:
        return None
    return tuple(_aspect(aspect) for aspect in row.objects("rubric_aspects")) or None


def _aspect(aspect: _Object) -> RubricAspect:
    return RubricAspect(
        aspect=aspect.text("aspect", blank=False),
        evidence=aspect.optional_text("evidence"),
        reason=aspect.optional_text("reason"),
    )


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"of type {type(value).__name__}"
