"""The search engine, at argilla-server's own extension point. It reads Argilla's tables and has nothing to update."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any
from uuid import UUID

from argilla_server.enums import MetadataPropertyType
from argilla_server.errors.future import UnprocessableEntityError
from argilla_server.search_engine import (
    FloatMetadataMetrics,
    IntegerMetadataMetrics,
    SearchEngine,
    SearchResponseItem,
    SearchResponses,
    TermsMetrics,
    TextQuery,
)
from argilla_server.settings import settings
from sqlalchemy import make_url

from .conditions import path
from .database import Row, reading, rows
from .search import Search
from .sql import Sql

NAME = "sqlite"


@SearchEngine.register(NAME)
class SQLiteSearchEngine(SearchEngine):
    """Finds records, counts progress and sums up metadata in Argilla's own SQLite database."""

    def __init__(self, database: Path) -> None:
        self.database = database

    @classmethod
    async def new_instance(cls) -> SQLiteSearchEngine:
        """The engine for the database of the settings."""
        return cls(Path(str(make_url(settings.database_url).database)))

    async def close(self) -> None:
        """Nothing stays open between two questions."""

    async def ping(self) -> bool:
        """Whether the database answers."""
        return await self._read(Sql("SELECT count(*) FROM search_text WHERE docid = 0")) == [(0,)]

    async def info(self) -> dict[str, Any]:
        """What Argilla's status page shows of its search engine."""
        return {"name": "embedded SQLite", "version": {"number": sqlite3.sqlite_version}}

    async def search(
        self,
        dataset: Any,
        query: Any = None,
        filter: Any = None,  # noqa: A002 (the names are those of the base class)
        sort: Any = None,
        offset: int = 0,
        limit: int = 100,
        user_id: Any = None,
    ) -> Any:
        """The ids of one page of records, and how many there are in all.

        Without a sort order: the best matches of a text query first, else an order of its own for each user, which
        never changes; without a user, as they were added.
        """
        text = query if query is None or isinstance(query, TextQuery) else TextQuery(q=query)
        try:
            search = Search.of(dataset.id, text.q if text else "", text.field if text else None, filter, sort, user_id)
        except ValueError as error:
            raise UnprocessableEntityError(str(error)) from error
        total, page = await asyncio.to_thread(self._read_all, search.count(), search.page(offset, limit))
        items = [SearchResponseItem(record_id=UUID(record_id), score=score) for record_id, score in page]
        return SearchResponses(items=items, total=total[0][0])

    async def similarity_search(self, *_: Any, **__: Any) -> Any:
        """Refused: this engine has no vectors."""
        raise UnprocessableEntityError(
            "The embedded Argilla can't search by similarity. Use text or filters, or a server with Elasticsearch."
        )

    async def get_dataset_progress(self, dataset: Any) -> dict[str, int]:
        """How many records there are, in all and by status; nothing for a draft."""
        if dataset.is_draft:
            return {}
        statuses = "SELECT status, count(*) FROM records WHERE dataset_id = ? GROUP BY status"
        return _counts(await self._read(Sql(statuses, (dataset.id.hex,))))

    async def get_dataset_user_progress(self, dataset: Any, user: Any) -> dict[str, int]:
        """How many responses a user has given, in all and by status; nothing for a draft."""
        if dataset.is_draft:
            return {}
        statuses = (
            "SELECT a.status, count(*) FROM responses a JOIN records r ON r.id = a.record_id"
            " WHERE r.dataset_id = ? AND a.user_id = ? GROUP BY a.status"
        )
        return _counts(await self._read(Sql(statuses, (dataset.id.hex, user.id.hex))))

    async def compute_metrics_for(self, metadata_property: Any) -> Any:
        """How often each term occurs, or the least and greatest number."""
        found = "FROM records r, json_each(r.metadata, ?) v WHERE r.dataset_id = ? AND v.value IS NOT NULL"
        values = (path(metadata_property.name), metadata_property.dataset_id.hex)
        if metadata_property.type == MetadataPropertyType.terms:
            terms = await self._read(
                Sql(f"SELECT CAST(v.value AS TEXT), count(*) {found} GROUP BY 1 ORDER BY 2 DESC, 1", values)
            )
            return TermsMetrics(
                total=sum(count for _, count in terms),
                values=[TermsMetrics.TermCount(term=term, count=count) for term, count in terms],
            )
        [(least, greatest)] = await self._read(Sql(f"SELECT min(v.value), max(v.value) {found}", values))
        is_integer = metadata_property.type == MetadataPropertyType.integer
        return (IntegerMetadataMetrics if is_integer else FloatMetadataMetrics)(min=least, max=greatest)

    async def _read(self, statement: Sql) -> list[Row]:
        return (await asyncio.to_thread(self._read_all, statement))[0]

    def _read_all(self, *statements: Sql) -> list[list[Row]]:
        with reading(self.database) as connection:
            return [rows(connection, statement) for statement in statements]

    # Argilla tells its search engine of every change. This one reads what Argilla has written itself.

    async def create_index(self, dataset: Any) -> None:
        """Nothing to do."""

    async def delete_index(self, dataset: Any) -> None:
        """Nothing to do."""

    async def configure_metadata_property(self, dataset: Any, metadata_property: Any) -> None:
        """Nothing to do."""

    async def configure_index_vectors(self, vector_settings: Any) -> None:
        """Nothing to do."""

    async def index_records(self, dataset: Any, records: Any) -> None:
        """Nothing to do."""

    async def partial_record_update(self, record: Any, **update: Any) -> None:
        """Nothing to do."""

    async def delete_records(self, dataset: Any, records: Any) -> None:
        """Nothing to do."""

    async def update_record_response(self, response: Any) -> None:
        """Nothing to do."""

    async def delete_record_response(self, response: Any) -> None:
        """Nothing to do."""

    async def update_record_suggestion(self, suggestion: Any) -> None:
        """Nothing to do."""

    async def delete_record_suggestion(self, suggestion: Any) -> None:
        """Nothing to do."""


def _counts(found: list[Row]) -> dict[str, int]:
    return {"total": sum(count for _, count in found), **dict(found)}
