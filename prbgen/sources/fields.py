"""Takes typed fields out of raw rows and notes everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from prbgen.schema import Post, RubricAspect
from prbgen.text import storable_and_count


@dataclass(frozen=True, slots=True)
class FaultyRow:
    """A row that is refused, with all that is wrong with it; `id` is null unless it can be read."""

    faults: tuple[str, ...]
    id: str | None = None


@dataclass(slots=True)
class Notes:
    """What is noticed on the way through a row; `replaced` counts the characters that could not be stored."""

    faults: list[str] = field(default_factory=list)
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class Fields:
    """One object of a row, where it stands in it, and the notes to add to. A faulty field reads as empty."""

    value: dict[str, Any]
    path: str
    notes: Notes

    def text(self, name: str, *, blank: bool = True) -> str:
        """A text that must be there."""
        if name not in self.value:
            return self.fault(name, "missing")
        value = self.value[name]
        if not isinstance(value, str):
            return self.fault(name, f"is {kind_of(value)}, should be text")
        if not blank and not value.strip():
            return self.fault(name, "empty")
        text, replaced = storable_and_count(value)
        self.notes.replaced += replaced
        return text

    def optional_text(self, name: str) -> str | None:
        """Missing, null and blank all mean that nothing is known."""
        if self.value.get(name) is None:
            return None
        text = self.text(name)
        return text if text.strip() else None

    def optional_name(self, name: str) -> str | None:
        """The same for what may also be a whole number."""
        value = self.value.get(name)
        return str(value) if type(value) is int else self.optional_text(name)

    def objects(self, name: str) -> Iterator[Fields]:
        """The objects of a list that must be there."""
        value = self.value.get(name)
        if not isinstance(value, list):
            self.fault(name, f"is {kind_of(value)}, should be a list" if name in self.value else "missing")
            return
        for index, each in enumerate(value):
            path = f"{self.path}{name}[{index}]"
            if isinstance(each, dict):
                yield Fields(each, f"{path}.", self.notes)
            else:
                self.notes.faults.append(f"{path}: is {kind_of(each)}, should be an object")

    def posts(self, name: str) -> tuple[Post, ...]:
        """A profile."""
        return tuple(
            Post(category=post.optional_text("category"), id=post.text("id"), text=post.text("text"))
            for post in self.objects(name)
        )

    def aspects(self, name: str) -> tuple[RubricAspect, ...] | None:
        """A rubric; null where it is missing or null."""
        if self.value.get(name) is None:
            return None
        return tuple(
            RubricAspect(
                aspect=aspect.text("aspect", blank=False),
                evidence=aspect.optional_text("evidence"),
                reason=aspect.optional_text("reason"),
            )
            for aspect in self.objects(name)
        )

    def fault(self, name: str, what: str) -> str:
        """Note what is wrong with a field; gives back an empty text."""
        self.notes.faults.append(f"{self.path}{name}: {what}")
        return ""


def kind_of(value: object) -> str:
    """What a value is, in words."""
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
