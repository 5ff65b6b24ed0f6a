"""The SQLite files that a run lives by, damaged as disks and people do it: refused in one line, or read."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from prbgen.downstream.best_of_n.on_this_machine.written_file import WrittenFile
from prbgen.downstream.candidates import Candidate
from prbgen.errors import InputError, PrbgenError
from prbgen.evaluation.journal import Journal
from prbgen.evaluation.scorers.scorer import Found
from prbgen.kept_table import KeptTable
from prbgen.llm.ledger import Ledger, Result, Sent

ROWS = 400
TEXT = "Drink green tea. " * 20


@dataclass(frozen=True)
class Kind:
    """A kind of file: how one is filled, and how all of it is read."""

    fill: Callable[[Path], None]
    read: Callable[[Path], list[Any]]


def fill_ledger(path: Path) -> None:
    async def work() -> None:
        with Ledger(path) as ledger:
            for number in range(ROWS):
                sent = await ledger.begin(Sent(f"k{number}", "answer", "q", "m", False, "2026-01-01"))
                await ledger.finish(sent, Result("stop", TEXT))
            ledger._write.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    asyncio.run(work())


def read_ledger(path: Path) -> list[Any]:
    with Ledger(path) as ledger:
        return [found for number in range(ROWS) if (found := ledger.reply(f"k{number}"))]


def fill_journal(path: Path) -> None:
    with Journal(path) as journal:
        for number in range(ROWS):
            journal.add(f"k{number} {TEXT}", Found(number, 0, scores=(0.5, 0.25)), 1.0)


def read_journal(path: Path) -> list[Any]:
    with Journal(path) as journal:
        return [found for number in range(ROWS) if (found := journal.get(f"k{number} {TEXT}", number))]


def fill_written(path: Path) -> None:
    with WrittenFile(path) as written:
        written.add("work", [(number, Candidate(text=TEXT)) for number in range(ROWS)])


def read_written(path: Path) -> list[Any]:
    with WrittenFile(path) as written:
        return list(written.get("work", ROWS).values())


KINDS = {
    "ledger": Kind(fill_ledger, read_ledger),
    "journal": Kind(fill_journal, read_journal),
    "written": Kind(fill_written, read_written),
}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def path(kind: Kind, tmp_path: Path) -> Path:
    """A whole file of that kind, closed in good order."""
    file = tmp_path / "kept.sqlite"
    kind.fill(file)
    assert len(kind.read(file)) == ROWS
    return file


def half(whole: bytes) -> bytes:
    return whole[: len(whole) // 2]


def zero_tail(whole: bytes) -> bytes:
    return half(whole) + bytes(len(whole) - len(half(whole)))


def garbled(whole: bytes) -> bytes:
    return whole[:4096] + b"\xff" * (len(whole) - 4096)


def text(_whole: bytes) -> bytes:
    return "höchst privat\n".encode("latin-1") * 500


@pytest.mark.parametrize("damage", [half, zero_tail, garbled, text])
def test_a_damaged_file_is_refused_in_one_line_that_names_it(kind: Kind, path: Path, damage: Any) -> None:
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match="damaged") as error:
        kind.read(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("version", [0, 1])
def test_another_programs_database_is_refused_and_left_as_it_is(kind: Kind, path: Path, version: int) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE notes (note TEXT)")
        other.execute("INSERT INTO notes VALUES ('mine')")
        other.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"not a ledger|database of something else"):
        kind.read(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("other", list(KINDS))
def test_a_file_of_another_kind_is_refused_and_still_of_use(kind: Kind, path: Path, other: str) -> None:
    if KINDS[other] is kind:
        return
    path.unlink()
    KINDS[other].fill(path)
    with pytest.raises(InputError):
        kind.read(path)
    assert len(KINDS[other].read(path)) == ROWS


def test_a_file_of_a_newer_prbgen_is_refused(kind: Kind, path: Path) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("PRAGMA user_version = 99")
    with pytest.raises(InputError, match=r"written by a newer prbgen \(.*version 99.*\); upgrade prbgen"):
        kind.read(path)


@pytest.mark.parametrize(("fill", "read"), [(fill_journal, read_journal), (fill_written, read_written)])
def test_a_file_from_before_versions_were_counted_is_read(
    tmp_path: Path, fill: Callable[[Path], None], read: Callable[[Path], list[Any]]
) -> None:
    path = tmp_path / "kept.sqlite"
    fill(path)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("PRAGMA user_version = 0")
    assert len(read(path)) == ROWS


def test_what_was_not_yet_in_the_main_file_is_lost_with_its_wal_and_nothing_else(
    kind: Kind, path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy" / path.name
    copy.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE later (x)")
        # As a kill leaves it, and somebody copies one file of the two.
        shutil.copy(path, copy)
        assert path.with_name(path.name + "-wal").stat().st_size > 0
    assert len(kind.read(copy)) == ROWS


def test_two_kinds_of_tables_share_all_of_this() -> None:
    assert {each.__name__ for each in KeptTable.__subclasses__()} >= {"Journal", "WrittenFile"}


def test_a_folder_that_may_only_be_read_is_told(kind: Kind, tmp_path: Path) -> None:
    # A file in the place of the folder: what no user, not even root, may write into.
    (tmp_path / "closed").write_text("")
    with pytest.raises(PrbgenError, match="closed") as error:
        kind.read(tmp_path / "closed" / "kept.sqlite")
    assert "\n" not in str(error.value)
