"""Batches in the ledger: a submission is there before it is sent, and what came of it before it is closed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from prbgen.llm.batch.spool import Part
from prbgen.llm.ledger import Ledger, Result
from prbgen.llm.ledger.ledger import insert, update
from prbgen.llm.prices import AtMost


@dataclass(frozen=True)
class Submission:
    """A batch that is not closed. `batch` is the provider's name for it, null: not known to have arrived."""

    name: str
    provider: str
    model: str
    submitted: datetime
    batch: str | None


@dataclass(frozen=True)
class Settled:
    """What an attempt might have taken and what came of it. `taken` is false where it cannot have been billed."""

    key: str
    model: str
    at_most: AtMost
    result: Result
    taken: bool = True


class BatchRecord:
    """The batches of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def submission_of(self, key: str) -> str | None:
        """The submission that a call is on its way with, if it is."""
        rows = self._ledger.query(
            # In this order: few submissions are open, and the index leads with them.
            "SELECT submission FROM batches CROSS JOIN attempts USING (submission)"
            " WHERE ended IS NULL AND key = ? AND outcome = 'sent' LIMIT 1",
            key,
        )
        return str(rows[0][0]) if rows else None

    def open(self) -> list[Submission]:
        """What is not closed, oldest first."""
        rows = self._ledger.query(
            "SELECT submission, provider, model, submitted, batch FROM batches WHERE ended IS NULL ORDER BY rowid"
        )
        return [Submission(name, who, model, datetime.fromisoformat(at), batch) for name, who, model, at, batch in rows]

    def known(self) -> set[str]:
        """The providers' names of all batches that were ever submitted."""
        return {str(batch) for (batch,) in self._ledger.query("SELECT batch FROM batches WHERE batch IS NOT NULL")}

    def waiting(self, name: str) -> int:
        """How many calls of a submission have no result."""
        return int(
            self._ledger.query("SELECT count(*) FROM attempts WHERE submission = ? AND outcome = 'sent'", name)[0][0]
        )

    def has_results(self, name: str) -> bool:
        """Whether any call of a submission has a result."""
        sql = "SELECT 1 FROM attempts WHERE submission = ? AND outcome != 'sent' LIMIT 1"
        return bool(self._ledger.query(sql, name))

    async def begin(self, part: Part, provider: str, model: str) -> Submission:
        """Write down that a part is about to be submitted, call by call; returns when that is on disk."""
        now = datetime.now(UTC)

        def work(connection: sqlite3.Connection) -> None:
            started = now.isoformat(timespec="milliseconds")
            connection.execute(
                "INSERT INTO batches (submission, provider, model, submitted) VALUES (?, ?, ?, ?)",
                (part.submission, provider, model, started),
            )
            for sent in part.calls(started):
                insert(connection, sent)

        await self._ledger.write(work)
        return Submission(part.submission, provider, model, now, None)

    async def arrived(self, name: str, batch: str | None) -> None:
        """Write down the provider's name for a submission; null: it turned out to be another's."""
        await self._ledger.write(
            lambda connection: connection.execute("UPDATE batches SET batch = ? WHERE submission = ?", (batch, name))
        )

    async def keep(self, name: str, results: Iterable[tuple[str, Result]]) -> list[Settled]:
        """Write down results. Those of calls that have one already, or were never part of this, are left out."""
        return await self._ledger.write(lambda connection: _keep(connection, name, results))

    async def close(self, name: str, how: str, missing: Result, *, taken: bool = True) -> list[Settled]:
        """Write down that a submission is over, and what became of its calls that have no result.

        With `taken` false nothing can have been billed, and nothing counts.
        """

        def work(connection: sqlite3.Connection) -> list[Settled]:
            keys = connection.execute(
                "SELECT key FROM attempts WHERE submission = ? AND outcome = 'sent' ORDER BY id", (name,)
            ).fetchall()
            settled = _keep(connection, name, [(key, missing) for (key,) in keys])
            if not taken:
                connection.execute(
                    "UPDATE attempts SET at_most_tokens = 0, at_most_usd = 0 WHERE submission = ? AND reply IS NULL",
                    (name,),
                )
            connection.execute("UPDATE batches SET ended = ? WHERE submission = ?", (how, name))
            return [replace(each, taken=taken) for each in settled]

        return await self._ledger.write(work)


def _keep(connection: sqlite3.Connection, name: str, results: Iterable[tuple[str, Result]]) -> list[Settled]:
    settled = []
    for key, result in results:
        row = connection.execute(
            "SELECT id, model, at_most_tokens, at_most_usd FROM attempts"
            " WHERE submission = ? AND key = ? AND outcome = 'sent'",
            (name, key),
        ).fetchone()
        if row:
            number, model, tokens, usd = row
            update(connection, number, result)
            settled.append(Settled(key, model, AtMost(tokens, usd), result))
    return settled
