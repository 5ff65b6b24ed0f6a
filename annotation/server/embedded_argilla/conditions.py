"""Argilla's filters and sort orders as SQL on its own tables, where `r` is the record."""

# ruff: noqa: S608 (statements are put together from constants; what people write is always a value of a `?`)

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import Enum
from typing import Any
from uuid import UUID

from argilla_server.search_engine import (
    AndFilter,
    MetadataFilterScope,
    RangeFilter,
    RecordFilterScope,
    ResponseFilterScope,
    SuggestionFilterScope,
    TermsFilter,
)

from .sql import Sql, Value, all_of, any_of, none_of

PENDING = "pending"
_RECORD_COLUMNS = ("id", "external_id", "status", "inserted_at", "updated_at")


def condition(wanted: Any) -> Sql:
    """The filter (Argilla's AndFilter, TermsFilter or RangeFilter) as a condition on the record `r`.

    Raises:
        ValueError: a filter that Argilla 2.8 does not have.
    """
    if isinstance(wanted, AndFilter):
        return all_of(condition(part) for part in wanted.filters)
    scope = wanted.scope
    if isinstance(scope, ResponseFilterScope) and not scope.question:
        return _response_status(scope, wanted)
    values = _values(scope)
    test = _test(wanted, scope)
    return Sql(f"EXISTS (SELECT 1 FROM ({values.text}) WHERE {test.text})", values.values + test.values)


def ordering(orders: Iterable[Any]) -> list[Sql]:
    """Argilla's sort orders as ORDER BY terms. Records without a value come last.

    Of several values the least (ascending) or the greatest counts; of several people's numbers, their average.
    """
    return [_order(order.scope, descending=plain(order.order) == "desc") for order in orders]


def plain(value: Any) -> Any:
    """What stands in the database for one of Argilla's enums; anything else as it is."""
    return value.value if isinstance(value, Enum) else value


def _order(scope: Any, *, descending: bool) -> Sql:
    values = _values(scope)
    chosen = "max(value)" if descending else "min(value)"
    if isinstance(scope, ResponseFilterScope):
        chosen = f"CASE WHEN typeof(min(value)) IN ('integer', 'real') THEN avg(value) ELSE {chosen} END"
    direction = "DESC" if descending else "ASC"
    return Sql(f"(SELECT {chosen} FROM ({values.text})) {direction} NULLS LAST", values.values)


def _values(scope: Any) -> Sql:
    """A table with one column, `value`: all that the record has of what `scope` names."""
    if isinstance(scope, RecordFilterScope):
        column = plain(scope.property)
        if column not in _RECORD_COLUMNS:
            raise ValueError(f"records have no property {column!r} to filter or sort by")
        return Sql(f"SELECT r.{column} AS value")
    if isinstance(scope, MetadataFilterScope):
        return Sql("SELECT v.value FROM json_each(r.metadata, ?) v", (path(scope.metadata_property),))
    if isinstance(scope, SuggestionFilterScope):
        return _suggested(scope)
    if isinstance(scope, ResponseFilterScope):
        return _answered(scope)
    raise ValueError(f"unknown scope of a filter: {scope!r}")


def _suggested(scope: Any) -> Sql:
    column = plain(scope.property) or "value"
    if column in ("value", "score"):  # one or several, as JSON
        value, several = "v.value", f", json_each(s.{column}) v"
    elif column in ("agent", "type"):
        value, several = f"s.{column}", ""
    else:
        raise ValueError(f"suggestions have no property {column!r} to filter or sort by")
    return Sql(
        f"SELECT {value} AS value FROM suggestions s JOIN questions q ON q.id = s.question_id{several}"
        " WHERE s.record_id = r.id AND q.name = ?",
        (scope.question,),
    )


def _answered(scope: Any) -> Sql:
    by_user = _by_user(scope)
    if scope.question:
        return Sql(
            f'SELECT v.value FROM responses a, json_each(a."values", ?) v WHERE a.record_id = r.id AND {by_user.text}',
            (path(scope.question, "value"), *by_user.values),
        )
    if plain(scope.property) != "status":
        raise ValueError(f"responses have no property {plain(scope.property)!r} to filter or sort by")
    return Sql(f"SELECT a.status AS value FROM responses a WHERE a.record_id = r.id AND {by_user.text}", by_user.values)


def _response_status(scope: Any, wanted: Any) -> Sql:
    """The status of a response. Pending means: that user (or, if none is named, nobody) has responded yet."""
    if plain(scope.property) != "status" or not isinstance(wanted, TermsFilter):
        raise ValueError(f"responses can be filtered by their status or by a question, not by {scope!r}")
    statuses = [plain(value) for value in wanted.values]
    answers = _answered(scope)
    one_of = _terms(status for status in statuses if status != PENDING)
    alternatives = [Sql(f"EXISTS (SELECT 1 FROM ({answers.text}) WHERE {one_of.text})", answers.values + one_of.values)]
    if PENDING in statuses:
        alternatives.append(none_of(Sql(f"EXISTS ({answers.text})", answers.values)))
    return any_of(alternatives)


def _by_user(scope: Any) -> Sql:
    return Sql("a.user_id = ?", (scope.user.id.hex,)) if scope.user else Sql("1")


def _test(wanted: Any, scope: Any) -> Sql:
    """What `value` must be."""
    column = plain(scope.property) if isinstance(scope, RecordFilterScope) else None
    if isinstance(wanted, TermsFilter):
        return _terms(UUID(value).hex if column == "id" else str(plain(value)) for value in wanted.values)
    if not isinstance(wanted, RangeFilter):
        raise ValueError(f"unknown kind of filter: {wanted!r}")
    is_time = column in ("inserted_at", "updated_at")
    bounds = [(sign, bound) for sign, bound in ((">=", wanted.ge), ("<=", wanted.le)) if bound is not None]
    return all_of(Sql(f"value {sign} ?", (_stored_time(bound) if is_time else bound,)) for sign, bound in bounds)


def _terms(values: Iterable[str]) -> Sql:
    return Sql("CAST(value AS TEXT) IN (SELECT value FROM json_each(?))", (json.dumps(list(values)),))


def _stored_time(bound: Any) -> Value:
    """A bound of a time, an ISO text or milliseconds since 1970, as Argilla stores times: UTC, without a zone."""
    if isinstance(bound, int | float):
        time = datetime.fromtimestamp(bound / 1000, tz=UTC)
    else:
        time = bound if isinstance(bound, datetime) else datetime.fromisoformat(str(bound))
    if time.tzinfo is not None:
        time = time.astimezone(UTC).replace(tzinfo=None)
    return time.isoformat(sep=" ", timespec="microseconds")


def path(*names: str) -> str:
    """The JSON path to a value by the names on the way."""
    return "$" + "".join("." + json.dumps(name, ensure_ascii=False) for name in names)
