"""A ledger to publish: what counts is in it, and nothing else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError, PrbgenError
from prbgen.llm.ledger import Ledger, Result, Sent, spent
from prbgen.llm.ledger.export import export
from prbgen.llm.ledger.ledger import insert, update

USAGE = {
    "prompt_tokens": 10,
    "completion_tokens": 2,
    "total_tokens": 12,
    "prompt_tokens_details": {"cached_tokens": 4},
}


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with Ledger(tmp_path / "ledger.sqlite") as opened:
        yield opened


def add(ledger: Ledger, key: str, reply: str | None, usage: dict[str, Any] | None = None, **more: Any) -> None:
    result = Result("stop" if reply else "timeout", reply, more.get("error"), usage or USAGE, 0.5, 1.5)
    update(ledger._write, insert(ledger._write, Sent(key, "answer", "s/0", "m", False, "2026-01-01")), result)


def test_the_export_gives_every_reply_that_the_ledger_gives_and_its_tokens(ledger: Ledger, tmp_path: Path) -> None:
    for number in range(2500):
        add(ledger, f"k{number}", f"reply {number}\0é👋")
    add(ledger, "faulty", None)
    add(ledger, "k7", "another reply to a call that has one")
    assert export(ledger, tmp_path / "x.sqlite") == 2500
    with Ledger(tmp_path / "x.sqlite", read_only=True) as exported:
        for number in range(2500):
            assert exported.reply(f"k{number}") == ledger.reply(f"k{number}")
        assert exported.reply("faulty") is None
        (row,) = spent(exported)
    assert (row.attempts, row.prompt_tokens, row.cached_tokens, row.cost_usd) == (2500, 25000, 10000, None)


def test_nothing_private_is_in_the_bytes_of_the_file(ledger: Ledger, tmp_path: Path) -> None:
    secrets = [f"secret-{number:02}-canary" for number in range(20)]
    plant = iter(secrets)
    usage = USAGE | {
        "request_id": next(plant),
        "completion_tokens": next(plant),
        "prompt_tokens_details": {"cached_tokens": next(plant), next(plant): 1, "text_tokens": [next(plant)]},
        "completion_tokens_details": [next(plant)],
        next(plant): {"deep": [{"deeper": next(plant)}]},
        "cost": 0.123456789,
    }
    add(ledger, "k0", "Tea.", usage)
    columns = ("error", "started", "submission", "outcome")
    for column in ("error", "started", "submission"):
        ledger._write.execute(f"UPDATE attempts SET {column} = ?", (next(plant),))
    ledger._write.execute("UPDATE attempts SET seconds = 123.456, cost_usd = 0.98765, at_most_usd = 0.45678")
    for column in columns:
        add(ledger, next(plant), None, {"id": next(plant)}, error=next(plant) if column == "error" else None)
    ledger._write.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?)", ["b", *(next(plant, "x") for _ in range(5))])
    ledger._write.execute("PRAGMA wal_checkpoint")
    planted = (tmp_path / "ledger.sqlite").read_bytes()
    assert sum(secret.encode() in planted for secret in secrets) >= 18

    assert export(ledger, tmp_path / "x.sqlite") == 1
    written = (tmp_path / "x.sqlite").read_bytes()
    assert b"Tea." in written
    assert b"canary" not in written
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as exported:
        row = exported.execute("SELECT error, started, seconds, cost_usd, at_most_usd, usage FROM attempts").fetchone()
        assert row[:5] == (None, "", 0, None, None)
        assert json.loads(row[5]) == {"prompt_tokens": 10, "total_tokens": 12, "prompt_tokens_details": {}}
        assert exported.execute("SELECT count(*) FROM batches").fetchone() == (0,)
    assert sorted(
        file.name for file in tmp_path.iterdir() if "sqlite-" not in file.name and file.suffix != ".reserve"
    ) == [
        "ledger.sqlite",
        "x.sqlite",
    ]


def test_equal_replies_give_equal_files_in_whatever_order_they_came(ledger: Ledger, tmp_path: Path) -> None:
    keys = [f"k{number}" for number in range(300)]
    with Ledger(tmp_path / "other.sqlite") as other:
        for key in keys:
            add(ledger, key, f"reply to {key} " * 20)
        for key in reversed(keys):
            add(other, key, None)
            add(other, key, f"reply to {key} " * 20)
        export(ledger, tmp_path / "one.sqlite")
        export(other, tmp_path / "two.sqlite")
    assert (tmp_path / "one.sqlite").read_bytes() == (tmp_path / "two.sqlite").read_bytes()


def test_the_file_stands_alone_and_can_be_exported_again(ledger: Ledger, tmp_path: Path) -> None:
    add(ledger, "k0", "Tea.")
    export(ledger, tmp_path / "one.sqlite")
    # No write-ahead log, so that it can be read where nothing may be written.
    assert (tmp_path / "one.sqlite").read_bytes()[18:20] == b"\x01\x01"
    with Ledger(tmp_path / "one.sqlite", read_only=True) as exported:
        export(exported, tmp_path / "two.sqlite")
    assert (tmp_path / "one.sqlite").read_bytes() == (tmp_path / "two.sqlite").read_bytes()


def test_a_file_that_exists_is_replaced_only_by_force_and_the_ledger_itself_never(
    ledger: Ledger, tmp_path: Path
) -> None:
    add(ledger, "k0", "Tea.")
    file = tmp_path / "x.sqlite"
    file.write_text("mine")
    with pytest.raises(InputError, match="--force"):
        export(ledger, file)
    assert file.read_text() == "mine"
    assert export(ledger, file, force=True) == 1
    with pytest.raises(InputError, match="the ledger itself"):
        export(ledger, tmp_path / ".." / tmp_path.name / "ledger.sqlite", force=True)
    with pytest.raises(InputError, match="a folder"):
        export(ledger, tmp_path, force=True)
    assert ledger.reply("k0")


def test_what_cannot_be_written_leaves_nothing_behind(ledger: Ledger, tmp_path: Path) -> None:
    add(ledger, "k0", "Tea.")
    with pytest.raises(PrbgenError, match=r"nowhere/x\.sqlite: cannot be written"):
        export(ledger, tmp_path / "nowhere" / "x.sqlite")
    (tmp_path / "x.sqlite.partial").mkdir()
    with pytest.raises(PrbgenError, match="cannot be written"):
        export(ledger, tmp_path / "x.sqlite")
    assert not (tmp_path / "x.sqlite").exists()
