"""The ledger's file: one process writes it, any may read it, and what it says is on disk."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, cast

from prbgen.errors import InputError, PrbgenError
from prbgen.llm.ledger.migrations import MIGRATIONS, migrate, version_of
from prbgen.llm.model import DigitLogprobs, FaultKind, Finish

T = TypeVar("T")
# Room on the disk, in bytes, that is given up when it is full: for the replies of calls that are in flight then.
_RESERVE = 2**22


@dataclass(frozen=True)
class Sent:
    """An attempt as it goes out. What it may take at most is null where nobody knows.

    `submission` names the provider batch that it goes out with, if any; `started` is in UTC.
    """

    key: str
    stage: str
    item: str
    model: str
    corrective: bool
    started: str
    at_most_tokens: int | None = None
    at_most_usd: float | None = None
    submission: str | None = None


@dataclass(frozen=True)
class Result:
    """What came of an attempt. `reply` is null where none came; then `error` says why. `usage` is the provider's own
    record; where the completion has `digit_logprobs`, they lie in it under that name.
    """

    outcome: Finish | FaultKind | Literal["lost"]
    reply: str | None
    error: str | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    cost_usd: float | None = None
    seconds: float = 0


def _connected(path: Path, read_only: bool) -> sqlite3.Connection:
    """A connection to read by. Where nothing may be written beside the file, it is read as it lies there."""
    address = f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    connection = sqlite3.connect(address, uri=True, timeout=30)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    except sqlite3.OperationalError:
        connection.close()
        if not read_only or path.with_name(path.name + "-wal").exists():
            raise
        connection = sqlite3.connect(f"{address}&immutable=1", uri=True)
    return connection


class Ledger:
    """The ledger of one run. One process writes it; commits are synced to disk, several attempts at a time."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open the ledger, and create or migrate it unless `read_only`.

        What an earlier process had sent when it died is marked as lost, but for what is with a provider's batches.

        Raises:
            InputError: the file is no ledger, is damaged, or comes from a newer prbgen.
        """
        self.path = path
        self._waiting: list[tuple[Callable[[sqlite3.Connection], Any], asyncio.Future[Any]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._reserve = path.with_name(path.name + ".reserve")
        self._full: PrbgenError | None = None
        if read_only and not path.is_file():
            what = "it is a folder" if path.is_dir() else "there is no such file"
            raise InputError(f"{path}: the ledger cannot be opened: {what}")
        with self._as_input_error():
            self._read = _connected(path, read_only)
            self._check_version(read_only)
            if not read_only:
                self._write = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
                self._write.execute("PRAGMA journal_mode = WAL")
                # FULL: a reply that was paid for survives a power cut, too.
                self._write.execute("PRAGMA synchronous = FULL")
                migrate(self._write)
                self._write.execute(
                    "UPDATE attempts SET outcome = 'lost', error = 'the process ended before a reply came'"
                    " WHERE outcome = 'sent' AND submission IS NULL"
                )
        if not read_only:
            self._take_reserve()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was recorded is on disk already."""
        self._read.close()
        if hasattr(self, "_write"):
            self._write.close()
            self._reserve.unlink(missing_ok=True)

    def reply(self, key: str) -> tuple[str, Finish] | None:
        """The recorded reply to a call and how it ended, or null if none ever came."""
        rows = self.query(
            "SELECT reply, outcome FROM attempts WHERE key = ? AND reply IS NOT NULL ORDER BY id LIMIT 1", key
        )
        return cast("tuple[str, Finish]", rows[0]) if rows else None

    def digit_logprobs(self, key: str) -> tuple[DigitLogprobs, ...]:
        """Those of the recorded reply to a call: see `Completion`. There are none in an exported ledger."""
        rows = self.query("SELECT usage FROM attempts WHERE key = ? AND reply IS NOT NULL ORDER BY id LIMIT 1", key)
        found = json.loads(rows[0][0]).get("digit_logprobs", []) if rows else []
        return tuple(tuple((text, weight) for text, weight in each) for each in found)

    def query(self, sql: str, *values: Any) -> list[Any]:
        """The rows that a SELECT gives. What `write` has returned from is among them."""
        with self._as_input_error():
            return self._read.execute(sql, values).fetchall()

    async def begin(self, sent: Sent) -> int:
        """Write down that a call is about to be sent; returns the attempt's number when that is on disk.

        Raises:
            PrbgenError: it cannot be written (disk full, say): nothing may be sent.
        """
        if self._full:
            raise self._full
        return await self.write(lambda connection: insert(connection, sent))

    async def finish(self, number: int, result: Result) -> None:
        """Write down what came of an attempt; returns when it is on disk.

        Raises:
            PrbgenError: it cannot be written: no more may be spent.
        """
        await self.write(lambda connection: update(connection, number, result))

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Let `work` change tables; returns what it returns when that is on disk.

        All that arrives during one sync is written with the next: durable, and as fast as the disk allows.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, done))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_waiting())
        return await done

    async def settle(self) -> None:
        """Wait until all that was to be written is on disk."""
        if self._writer is not None:
            await self._writer

    async def _write_waiting(self) -> None:
        while self._waiting:
            together, self._waiting = self._waiting, []
            try:
                results = await asyncio.to_thread(self._transaction_or_reserve, [work for work, _ in together])
            except Exception as error:  # whatever it is, nobody may wait for ever
                problem: Exception = error
                if isinstance(error, sqlite3.Error):
                    problem = self._cannot_write(error)
                for _, done in together:
                    if not done.done():
                        done.set_exception(problem)
            else:
                for (_, done), result in zip(together, results, strict=True):
                    if not done.done():
                        done.set_result(result)

    def _take_reserve(self) -> None:
        try:
            self._reserve.write_bytes(bytes(_RESERVE))
        except OSError as error:
            self._reserve.unlink(missing_ok=True)
            raise self._cannot_write(error.strerror or error) from None

    def _cannot_write(self, why: object) -> PrbgenError:
        return PrbgenError(
            f"{self.path}: the ledger cannot be written ({why}); stopped before spending more."
            " Make room or mend the disk, then run the same command again"
        )

    def _transaction_or_reserve(self, works: list[Callable[[sqlite3.Connection], Any]]) -> list[Any]:
        """One transaction. On a full disk the reserve makes room for it; from then on no attempt begins."""
        try:
            return self._transaction(works)
        except sqlite3.OperationalError as error:
            if self._full or not self._reserve.exists():
                raise
            self._full = self._cannot_write(error)
            self._reserve.unlink()
            return self._transaction(works)

    def _transaction(self, works: list[Callable[[sqlite3.Connection], Any]]) -> list[Any]:
        self._write.execute("BEGIN IMMEDIATE")
        try:
            results = [work(self._write) for work in works]
            self._write.execute("COMMIT")
        except BaseException:
            if self._write.in_transaction:
                self._write.execute("ROLLBACK")
            raise
        return results

    def _check_version(self, read_only: bool) -> None:
        version = version_of(self._read)
        tables = {name for (name,) in self._read.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        # Other programs, too, count versions of their tables.
        if (version == 0 and read_only) or (tables and (version == 0 or "attempts" not in tables)):
            raise InputError(f"{self.path}: not a ledger; restore it from a copy or move it away")
        if version > len(MIGRATIONS):
            raise InputError(f"{self.path}: written by a newer prbgen (ledger version {version}); upgrade prbgen")

    @contextmanager
    def _as_input_error(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise PrbgenError(
                f"{self.path}: the ledger cannot be opened or read ({error}); make room or mend it, then run the same"
                " command"
            ) from None
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self.path}: not a ledger, or damaged ({error}); restore it from a copy or move it away"
            ) from None


def insert(connection: sqlite3.Connection, sent: Sent) -> int:
    """Add an attempt that goes out now; returns its number."""
    cursor = connection.execute(
        "INSERT INTO attempts (key, stage, item, model, corrective, outcome, usage, started, seconds,"
        " at_most_tokens, at_most_usd, submission) VALUES (?, ?, ?, ?, ?, 'sent', '{}', ?, 0, ?, ?, ?)",
        (
            sent.key, sent.stage, sent.item, sent.model, sent.corrective, sent.started,
            sent.at_most_tokens, sent.at_most_usd, sent.submission,
        ),
    )  # fmt: skip
    return cast("int", cursor.lastrowid)


def update(connection: sqlite3.Connection, number: int, result: Result) -> None:
    """Add to an attempt what came of it."""
    connection.execute(
        "UPDATE attempts SET outcome = ?, reply = ?, error = ?, usage = ?, cost_usd = ?, seconds = ? WHERE id = ?",
        (
            result.outcome, result.reply, result.error, json.dumps(result.usage, sort_keys=True),
            result.cost_usd, result.seconds, number,
        ),
    )  # fmt: skip
