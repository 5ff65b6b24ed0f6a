"""A copy of a ledger to publish: the replies, and nothing that says when, where, by whom or for how much."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from prbgen.errors import InputError, PrbgenError
from prbgen.llm.ledger.ledger import Ledger
from prbgen.llm.ledger.migrations import migrate

# What is kept of a provider's record. All else may name an account, a request or a server.
_COUNTS: dict[str, tuple[str, ...]] = {
    "prompt_tokens": (),
    "completion_tokens": (),
    "total_tokens": (),
    "cache_creation_input_tokens": (),
    "cache_read_input_tokens": (),
    "prompt_tokens_details": ("cached_tokens", "cache_creation_tokens", "text_tokens"),
    "completion_tokens_details": ("reasoning_tokens", "text_tokens"),
}
_MOST_TOKENS = 2**31
_AT_ONCE = 1000


def export(ledger: Ledger, file: Path, *, force: bool = False) -> int:
    """Write the replies of a ledger into a new one; returns how many.

    One row a key, in the order of keys: ledgers with equal replies give equal files.

    Raises:
        InputError: the file exists (unless `force`), or is the ledger itself.
        PrbgenError: the ledger cannot be read, or the file not be written.
    """
    if file.exists() and (file.is_dir() or file.samefile(ledger.path)):
        raise InputError(f"{file}: is {'a folder' if file.is_dir() else 'the ledger itself'}; name another file")
    if file.exists() and not force:
        raise InputError(f"{file}: exists; name another file, or replace it with --force")
    partial = file.with_name(file.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        replies = _write(partial, _rows(ledger))
        partial.replace(file)
    except (OSError, sqlite3.Error) as error:
        what = getattr(error, "strerror", None) or error
        raise PrbgenError(f"{file}: cannot be written ({what})") from None
    finally:
        with suppress(OSError):
            partial.unlink()
    return replies


def _write(file: Path, rows: Iterator[tuple[Any, ...]]) -> int:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        # Nobody knows the file yet, and only what is whole gets its name.
        connection.execute("PRAGMA journal_mode = OFF")
        migrate(connection)
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO attempts (key, stage, item, model, corrective, outcome, reply, usage, started, seconds)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', 0)",
            rows,
        )
        connection.execute("COMMIT")
        return int(connection.execute("SELECT count(*) FROM attempts").fetchone()[0])


def _rows(ledger: Ledger) -> Iterator[tuple[Any, ...]]:
    """The first reply to each call, as it is the one that counts."""
    after = ""
    while rows := ledger.query(_REPLIES, after, _AT_ONCE):
        for _, *row, usage in rows:
            yield *row, json.dumps(_counts(json.loads(usage)), sort_keys=True)
        after = rows[-1][1]


def _counts(usage: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, details in _COUNTS.items():
        value = usage.get(name)
        if details and isinstance(value, dict):
            kept[name] = {each: value[each] for each in details if _is_count(value.get(each))}
        elif not details and _is_count(value):
            kept[name] = value
    return kept


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST_TOKENS


_REPLIES = """
SELECT min(id), key, stage, item, model, corrective, outcome, reply, usage
FROM attempts WHERE reply IS NOT NULL AND key > ? GROUP BY key ORDER BY key LIMIT ?
"""
