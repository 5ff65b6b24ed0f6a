from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from prbgen.errors import InputError, PrbgenError
from prbgen.evaluation.journal import Journal
from prbgen.evaluation.scorers.scorer import Found
from prbgen.llm.ledger import Ledger

FOUND = Found(7, 3, scores=(0.1, -1e-17))


def test_what_was_scored_is_there_again_to_the_last_bit(tmp_path: Path) -> None:
    with Journal(tmp_path / "scores.sqlite") as journal:
        journal.add("one", FOUND, 1.5)
        journal.add("two", Found(8, 0, verdict_ab="A", verdict_ba="B"), 2.5)
    with Journal(tmp_path / "scores.sqlite") as journal:
        assert journal.get("one", 7) == FOUND
        assert journal.get("two", 9) == Found(9, 0, verdict_ab="A", verdict_ba="B")
        assert journal.get("three", 0) is None
        assert journal.seconds == 2.5


def test_a_folder_takes_one_evaluation_and_says_what_differs(tmp_path: Path) -> None:
    with Journal(tmp_path / "scores.sqlite") as journal:
        journal.begin({"scorer": "scalar:a", "condition": "none"})
        journal.begin({"scorer": "scalar:a", "condition": "none"})
        with pytest.raises(InputError, match=r"condition 'none', not 'profile'.*--out"):
            journal.begin({"scorer": "scalar:a", "condition": "profile"})


def test_versions_of_all_processes_are_told(tmp_path: Path) -> None:
    with Journal(tmp_path / "scores.sqlite") as journal:
        journal.add_versions({"torch": "2.13.0", "python": "3.11.7"})
        journal.add_versions({"torch": "2.12.1", "python": "3.11.7"})
        assert journal.versions == {"torch": "2.12.1, 2.13.0", "python": "3.11.7"}


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "scores.sqlite"
    file.write_text("scores: none" * 200)
    with pytest.raises(InputError, match="no file of scores"), Journal(file):
        pass


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(PrbgenError, match="missing"), Journal(tmp_path / "missing" / "scores.sqlite"):
        pass


_ADDS = """
import sys, time
from contextlib import closing
from pathlib import Path
from prbgen.evaluation.journal import Journal
from prbgen.llm.ledger import Ledger
from prbgen.evaluation.scorers.scorer import Found
with Journal(Path(sys.argv[1])) as journal:
    for number in range(100_000):
        journal.add(str(number), Found(number, 0, scores=(float(number), 0.0)), number)
        print(number, flush=True)
"""


def test_what_an_earlier_prbgen_scored_is_taken_over_once(tmp_path: Path) -> None:
    file = tmp_path / "scores.sqlite"
    verdicts = "verdict_ab TEXT, verdict_ba TEXT"
    with closing(sqlite3.connect(file)) as earlier, earlier:
        earlier.execute("CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        earlier.execute(
            f"CREATE TABLE scores (work TEXT PRIMARY KEY, posts INTEGER NOT NULL, score_chosen REAL,"
            f" score_rejected REAL, {verdicts}) WITHOUT ROWID"
        )
        rows = [("one", 3, 0.1, -1e-17, None, None), ("two", 0, None, None, "A", "B"), ("three", 1, 2.0, 0, None, None)]
        earlier.executemany("INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?)", rows)
    for _ in range(2):
        with Journal(file) as journal:
            assert journal.get("one", 7) == FOUND
            assert journal.get("two", 9) == Found(9, 0, verdict_ab="A", verdict_ba="B")
            assert journal.get("three", 0) == Found(0, 1, scores=(2.0, 0.0))
    with closing(sqlite3.connect(file)) as later:
        assert not later.execute("SELECT 1 FROM sqlite_master WHERE name = 'scores'").fetchall()


def test_a_killed_process_leaves_all_that_it_had_said(tmp_path: Path) -> None:
    file = tmp_path / "scores.sqlite"
    words = [sys.executable, "-c", textwrap.dedent(_ADDS), str(file)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        last = 0
        while last < 50:
            last = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
        said = [int(line) for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    with Journal(file) as journal:
        for number in range(max([last, *said]) + 1):
            found = Found(number, 0, scores=(float(number), 0.0))
            assert journal.get(str(number), number) == found


@pytest.mark.parametrize(
    "damage",
    ["UPDATE about SET value = 'xx'", "UPDATE about SET value = '{\"a\":' WHERE name = 'identity'"],
)
def test_a_damaged_journal_is_told_from_a_whole_one(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "scores.sqlite"
    with Journal(file) as journal:
        journal.begin({"scorer": "a"})
    with closing(sqlite3.connect(file)) as other, other:
        other.execute(damage)
    with Journal(file) as journal, pytest.raises(InputError, match="damaged"):
        journal.begin({"scorer": "a"})


def test_no_verdict_but_a_letter_gets_into_the_journal(tmp_path: Path) -> None:
    file = tmp_path / "scores.sqlite"
    with Journal(file) as journal:
        journal.add("one", FOUND, 1.0)
    with closing(sqlite3.connect(file)) as other, pytest.raises(sqlite3.IntegrityError):
        other.execute("UPDATE found SET verdict_ab = 'Z'")


def test_a_database_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "scores.sqlite"
    with Ledger(file):
        pass
    with closing(sqlite3.connect(file)) as ledger:
        before = list(ledger.execute("SELECT name FROM sqlite_master ORDER BY name"))
    with pytest.raises(InputError, match="is no file of scores, or damaged"), Journal(file):
        pass
    with closing(sqlite3.connect(file)) as ledger:
        assert list(ledger.execute("SELECT name FROM sqlite_master ORDER BY name")) == before
