"""The ledger: every attempt at every model call, in SQLite, on disk before its result is used.

Resuming, progress and money all follow from its one table.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

from prbgen.errors import InputError, PrbgenError
from prbgen.llm.model import FaultKind, Finish

# The number of a migration is its place in this list; a published one never changes.
MIGRATIONS = (
    """
    CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL,           -- fingerprint of the call
        stage TEXT NOT NULL,         -- what it was for: rubric, answer, ...
        item TEXT NOT NULL,          -- the question that it was for
        model TEXT NOT NULL,
        corrective INTEGER NOT NULL, -- 1: shows the model what was wrong with its reply
        outcome TEXT NOT NULL,       -- stop, length, filtered, or the kind of fault
        reply TEXT,                  -- null: none came
        error TEXT,
        usage TEXT NOT NULL,         -- the provider's own record, as JSON
        cost_usd REAL,               -- null: unknown
        started TEXT NOT NULL,       -- UTC
        seconds REAL NOT NULL
    );
    CREATE INDEX answered ON attempts (key) WHERE reply IS NOT NULL;
    """,
)


@dataclass(frozen=True)
class Attempt:
    """One attempt at a call, as it is recorded. `reply` is null where none came; then `error` says why."""

    key: str
    stage: str
    item: str
    model: str
    corrective: bool
    outcome: Finish | FaultKind
    reply: str | None
    error: str | None
    usage: dict[str, Any]
    cost_usd: float | None
    started: str
    seconds: float


@dataclass(frozen=True)
class Spent:
    """What the attempts of one stage and model came to.

    `cost_usd` sums the prices that are known (null: none is); `unpriced` replies have none.
    """

    stage: str
    model: str
    attempts: int
    replies: int
    corrective: int
    faults: int
    truncated: int
    filtered: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost_usd: float | None
    unpriced: int


class Ledger:
    """The ledger of one run. One process writes it; commits are synced to disk, several attempts at a time."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open the ledger, and create or migrate it unless `read_only`.

        Raises:
            InputError: the file is no ledger, is damaged, or comes from a newer prbgen.
        """
        self.path = path
        self._waiting: list[tuple[Attempt, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None
        with self._as_input_error():
            address = f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rwc'}"
            self._read = sqlite3.connect(address, uri=True, timeout=30)
            self._check_version(read_only)
            if not read_only:
                self._write = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
                self._write.execute("PRAGMA journal_mode = WAL")
                # FULL: a reply that was paid for survives a power cut, too.
                self._write.execute("PRAGMA synchronous = FULL")
                self._migrate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was recorded is on disk already."""
        self._read.close()
        if hasattr(self, "_write"):
            self._write.close()

    def reply(self, key: str) -> tuple[str, Finish] | None:
        """The recorded reply to a call and how it ended, or null if none ever came."""
        with self._as_input_error():
            row = self._read.execute(
                "SELECT reply, outcome FROM attempts WHERE key = ? AND reply IS NOT NULL ORDER BY id LIMIT 1", (key,)
            ).fetchone()
        return cast("tuple[str, Finish] | None", row)

    async def record(self, attempt: Attempt) -> None:
        """Write an attempt down; returns when it is on disk.

        Raises:
            PrbgenError: it cannot be written (disk full, say): no more may be spent.
        """
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((attempt, done))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_waiting())
        await done

    async def settle(self) -> None:
        """Wait until all that was to be recorded is on disk."""
        if self._writer is not None:
            await self._writer

    def spent(self) -> list[Spent]:
        """What was spent so far, by stage and model."""
        with self._as_input_error():
            return [Spent(*row) for row in self._read.execute(_SPENT)]

    async def _write_waiting(self) -> None:
        # All that arrived during one sync is written with the next: durable, and as fast as the disk allows.
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._insert, [attempt for attempt, _ in batch])
            except Exception as error:  # whatever it is, nobody may wait for ever
                problem: Exception = error
                if isinstance(error, sqlite3.Error):
                    problem = PrbgenError(
                        f"{self.path}: the ledger cannot be written ({error}); stopped before spending more."
                        " Make room or mend the disk, then run the same command again"
                    )
                for _, done in batch:
                    if not done.done():
                        done.set_exception(problem)
            else:
                for _, done in batch:
                    if not done.done():
                        done.set_result(None)

    def _insert(self, attempts: list[Attempt]) -> None:
        rows = [
            (
                a.key, a.stage, a.item, a.model, a.corrective, a.outcome, a.reply, a.error,
                json.dumps(a.usage, sort_keys=True), a.cost_usd, a.started, a.seconds,
            )
            for a in attempts
        ]  # fmt: skip
        self._write.execute("BEGIN IMMEDIATE")
        try:
            self._write.executemany(
                "INSERT INTO attempts (key, stage, item, model, corrective, outcome, reply, error,"
                " usage, cost_usd, started, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
            self._write.execute("COMMIT")
        except BaseException:
            if self._write.in_transaction:
                self._write.execute("ROLLBACK")
            raise

    def _check_version(self, read_only: bool) -> None:
        version = self._version(self._read)
        tables = self._read.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == 0 and (read_only or tables):
            raise InputError(f"{self.path}: not a ledger; restore it from a copy or move it away")
        if version > len(MIGRATIONS):
            raise InputError(f"{self.path}: written by a newer prbgen (ledger version {version}); upgrade prbgen")

    def _migrate(self) -> None:
        for number in range(self._version(self._write), len(MIGRATIONS)):
            self._write.executescript(f"BEGIN; {MIGRATIONS[number]} PRAGMA user_version = {number + 1}; COMMIT;")

    @staticmethod
    def _version(connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])

    @contextmanager
    def _as_input_error(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise PrbgenError(f"{self.path}: the ledger cannot be opened or read ({error})") from None
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self.path}: not a ledger, or damaged ({error}); restore it from a copy or move it away"
            ) from None


_SPENT = """
SELECT stage, model, count(*), count(reply), sum(corrective), sum(reply IS NULL),
       sum(outcome = 'length'), sum(outcome = 'filtered'),
       coalesce(sum(json_extract(usage, '$.prompt_tokens')), 0),
       coalesce(sum(json_extract(usage, '$.completion_tokens')), 0),
       coalesce(sum(json_extract(usage, '$.prompt_tokens_details.cached_tokens')), 0),
       sum(cost_usd), sum(cost_usd IS NULL AND reply IS NOT NULL)
FROM attempts GROUP BY stage, model ORDER BY min(id)
"""
