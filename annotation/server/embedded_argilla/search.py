"""One question to the records of a dataset: which of them, in what order."""

# ruff: noqa: S608 (statements are put together from constants; what people write is always a value of a `?`)

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from .conditions import condition, ordering
from .query import parse
from .sql import Sql, all_of
from .text_index import matches, relevance


@dataclass(frozen=True, slots=True)
class Search:
    """The condition on the records `r`, their order, and (for a text query without a sort order) their scores `m`."""

    where: Sql
    order: Sql
    scores: Sql | None

    @classmethod
    def of(
        cls, dataset_id: UUID, text: str, field: str | None, wanted: Any, sort: Iterable[Any] | None, user_id: Any
    ) -> Search:
        """The search for `text` (in `field`, or anywhere) and for what Argilla's filter `wanted` lets through.

        Raises:
            ValueError: Argilla 2.8 has no such filter or sort order.
        """
        query = parse(text)
        conditions = [Sql("r.dataset_id = ?", (dataset_id.hex,))]
        if text.strip() not in ("", "*"):
            conditions.append(matches(query, field))
        if wanted:
            conditions.append(condition(wanted))
        orders, scores = ordering(sort or []), None
        if not orders:
            scores = relevance(query, field) if query else None
            orders += [Sql("coalesce(m.score, 0) DESC")] if scores else []
            orders += [Sql("shuffled(?, r.id)", (str(user_id),))] if user_id else []
        orders.append(Sql("r.inserted_at, r.id"))
        values = tuple(value for order in orders for value in order.values)
        return cls(all_of(conditions), Sql(", ".join(order.text for order in orders), values), scores)

    def count(self) -> Sql:
        """The statement that counts all that is found."""
        return Sql(f"SELECT count(*) FROM records r WHERE {self.where.text}", self.where.values)

    def page(self, offset: int, limit: int) -> Sql:
        """The statement for one page: (record id, score or None) a row."""
        scores = self.scores or Sql("SELECT NULL AS record_id, NULL AS score WHERE 0")
        return Sql(
            f"SELECT r.id, m.score FROM records r LEFT JOIN ({scores.text}) m ON m.record_id = r.id"
            f" WHERE {self.where.text} ORDER BY {self.order.text} LIMIT ? OFFSET ?",
            (*scores.values, *self.where.values, *self.order.values, limit, offset),
        )
