"""Reading Argilla's database file beside the server, and making it ready before the server starts."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from .home import HomeError
from .sql import Sql
from .text_index import install

Row = tuple[Any, ...]

# Raters' queues are sorted out of this index; records themselves are long and slow to walk through.
_QUEUES = "CREATE INDEX IF NOT EXISTS search_queues ON records(dataset_id, status, id, inserted_at)"

# Argilla counts in a second step whether a record has its answers. What a kill cut off between the two is made good.
_COUNT_COMPLETED = """
WITH counted AS (
    SELECT r.id, CASE WHEN (SELECT count(*) FROM responses a WHERE a.record_id = r.id AND a.status = 'submitted')
        >= json_extract(d.distribution, '$.min_submitted') THEN 'completed' ELSE 'pending' END AS status
    FROM records r JOIN datasets d ON d.id = r.dataset_id)
UPDATE records SET status = counted.status FROM counted
WHERE records.id = counted.id AND records.status <> counted.status
"""


def is_unused(path: Path) -> bool:
    """Whether nobody has an account yet: there is no database, or a first start was cut off, maybe in mid-migration.

    Raises:
        HomeError: the file is no database, or a damaged one.
    """
    if not path.exists():
        return True
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as connection:
            [(tables,)] = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'users'")
            return not tables or connection.execute("SELECT 1 FROM users LIMIT 1").fetchone() is None
    except sqlite3.DatabaseError as error:
        raise HomeError(f"{path}: can't be read ({error}); put a copy of it back, or name another --home") from error


def prepare(path: Path) -> None:
    """Makes the migrated database ready: readers never wait for a writer (WAL), full text is indexed, counts are right.

    Raises:
        sqlite3.Error: the file is no database of Argilla's, or this SQLite lacks FTS5.
    """
    with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        install(connection)
        connection.execute(_QUEUES)
        connection.execute(_COUNT_COMPLETED)


def tidy(path: Path) -> None:
    """Moves all that was written into the one file, so that a copy of it is a whole backup."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that sees one state of the database for as long as it is open, and can't change it."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as connection:
        connection.execute("PRAGMA query_only = 1")
        connection.create_function("shuffled", 2, shuffled, deterministic=True)
        connection.execute("BEGIN")
        yield connection


def rows(connection: sqlite3.Connection, statement: Sql) -> list[Row]:
    """All rows of a statement."""
    return connection.execute(statement.text, statement.values).fetchall()


def shuffled(seed: str, record_id: str) -> bytes:
    """A key to sort records by: an order of its own for each seed, the same each time."""
    return hashlib.blake2b(record_id.encode(), key=seed.encode()[:64], digest_size=8).digest()
