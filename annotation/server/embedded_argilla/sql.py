"""Pieces of SQL that carry their values, so that nobody's text ever becomes part of a statement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class Sql:
    """A piece of SQL and the values of its question marks, in their order."""

    text: str
    values: tuple[Value, ...] = ()


TRUE = Sql("1")
FALSE = Sql("0")


def all_of(conditions: Iterable[Sql]) -> Sql:
    """Every condition holds; true if there are none."""
    return _joined(" AND ", list(conditions)) or TRUE


def any_of(conditions: Iterable[Sql]) -> Sql:
    """At least one condition holds; false if there are none."""
    return _joined(" OR ", list(conditions)) or FALSE


def none_of(condition: Sql) -> Sql:
    """The condition does not hold."""
    return Sql(f"NOT ({condition.text})", condition.values)


def _joined(word: str, parts: list[Sql]) -> Sql | None:
    if not parts:
        return None
    return Sql(word.join(f"({part.text})" for part in parts), tuple(value for part in parts for value in part.values))
