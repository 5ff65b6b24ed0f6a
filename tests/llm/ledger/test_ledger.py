import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError, PrbgenError
from prbgen.llm.ledger import Ledger, Result, Sent, committed, spent
from prbgen.llm.ledger.migrations import MIGRATIONS
from tests.processes import start_python


@dataclass(frozen=True)
class Attempt:
    """A whole attempt: how it went out and what came of it."""

    key: str
    stage: str
    item: str
    model: str
    corrective: bool
    outcome: Any
    reply: str | None
    error: str | None
    usage: dict[str, Any]
    cost_usd: float | None
    at_most_tokens: int | None = 100
    at_most_usd: float | None = 2.0

    @property
    def sent(self) -> Sent:
        return Sent(
            key=self.key,
            stage=self.stage,
            item=self.item,
            model=self.model,
            corrective=self.corrective,
            started="2026-01-01T00:00:00.000+00:00",
            at_most_tokens=self.at_most_tokens,
            at_most_usd=self.at_most_usd,
        )

    @property
    def result(self) -> Result:
        return Result(self.outcome, self.reply, self.error, self.usage, self.cost_usd, 0.1)


async def record(ledger: Ledger, attempt: Attempt) -> None:
    await ledger.finish(await ledger.begin(attempt.sent), attempt.result)


ATTEMPT = Attempt(
    key="k0",
    stage="answer",
    item="s/0",
    model="openai/a",
    corrective=False,
    outcome="stop",
    reply="Hello.\0é👋",
    error=None,
    usage={"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
    cost_usd=0.5,
)
FAULT = replace(ATTEMPT, outcome="timeout", reply=None, error="no reply within 5 s", usage={}, cost_usd=None)

# Records one attempt after the other and says so each time that `record` has returned.
WRITER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from prbgen.llm.ledger import Ledger
from tests.llm.ledger.test_ledger import ATTEMPT, record

async def main():
    ledger = Ledger(Path(sys.argv[1]))
    for number in range(1_000_000):
        await record(ledger, replace(ATTEMPT, key=f"k{number}", reply=f"reply {number}"))
        print(number, flush=True)

asyncio.run(main())
"""


def writer_at_work(path: Path) -> subprocess.Popen[str]:
    process = start_python(WRITER, str(path))
    assert process.stdout
    assert process.stdout.readline() == "0\n"
    return process


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a folder?#%" / "ledger.sqlite"


@pytest.fixture(autouse=True)
def _folder(path: Path) -> None:
    path.parent.mkdir()


async def test_the_first_reply_that_came_is_the_one_that_counts(path: Path) -> None:
    with Ledger(path) as ledger:
        assert ledger.reply("k0") is None
        await record(ledger, FAULT)
        assert ledger.reply("k0") is None
        await record(ledger, ATTEMPT)
        await record(ledger, replace(ATTEMPT, reply="another", outcome="length"))
        assert ledger.reply("k0") == (ATTEMPT.reply, "stop")
        await record(ledger, replace(ATTEMPT, key="k1", reply="", outcome="length"))
        assert ledger.reply("k1") == ("", "length")
    with Ledger(path) as again:
        assert again.reply("k0") == (ATTEMPT.reply, "stop")
        assert again.reply("k1") == ("", "length")


def test_what_was_recorded_survives_a_killed_process(path: Path) -> None:
    with writer_at_work(path) as process:
        assert process.stdout
        for _ in range(50):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        last = max(int(line) for line in ["50", *process.stdout.read().split()])
    for read_only in (True, False):
        with Ledger(path, read_only=read_only) as ledger:
            assert [ledger.reply(f"k{number}") for number in range(last + 1)] == [
                (f"reply {number}", "stop") for number in range(last + 1)
            ]
            assert ledger.reply(f"k{last + 2}") is None


def test_a_reader_reads_beside_a_writer_and_writes_nothing(path: Path) -> None:
    with writer_at_work(path) as process, Ledger(path, read_only=True) as ledger:
        assert process.stdout
        first = spent(ledger)[0].replies
        for _ in range(20):
            last = int(process.stdout.readline())
        assert ledger.reply(f"k{last}") == (f"reply {last}", "stop")
        assert spent(ledger)[0].replies > first
        process.kill()


async def test_many_recorded_at_once_share_few_syncs_and_are_all_there(path: Path) -> None:
    with Ledger(path) as ledger:
        commits = 0

        def count(statement: str) -> None:
            nonlocal commits
            commits += statement == "COMMIT"

        ledger._write.set_trace_callback(count)
        await asyncio.gather(*(record(ledger, replace(ATTEMPT, key=f"k{number}")) for number in range(2000)))
        assert all(ledger.reply(f"k{number}") for number in range(2000))
        assert commits < 20


async def test_a_full_disk_stops_the_run_and_loses_nothing(path: Path) -> None:
    with Ledger(path) as ledger:
        await record(ledger, ATTEMPT)
        pages = ledger._write.execute("PRAGMA page_count").fetchone()[0]
        ledger._write.execute(f"PRAGMA max_page_count = {pages}")
        large = [replace(ATTEMPT, key=f"large {number}", reply="x" * 100_000) for number in range(5)]
        results = await asyncio.gather(*(record(ledger, each) for each in large), return_exceptions=True)
        assert all(isinstance(result, PrbgenError) for result in results)
        assert "the ledger cannot be written (database or disk is full); stopped before spending" in str(results[0])
        assert ledger.reply("k0")
    # There is room again: the next process goes on.
    with Ledger(path) as again:
        await record(again, large[0])
    with Ledger(path) as again:
        assert again.reply("k0")
        assert again.reply("large 0")
        assert (spent(again)[0].replies, spent(again)[0].lost) == (2, 5)


async def test_what_cannot_be_written_at_all_is_an_error_and_not_an_endless_wait(path: Path) -> None:
    with Ledger(path) as ledger:
        async with asyncio.timeout(10):
            with pytest.raises(UnicodeEncodeError):
                await record(ledger, replace(ATTEMPT, reply="\ud800"))
            await record(ledger, ATTEMPT)
        assert ledger.reply("k0")


async def test_spent_sums_by_stage_and_model_and_keeps_the_unknown_apart(path: Path) -> None:
    with Ledger(path) as ledger:
        assert spent(ledger) == []
        unknown = replace(ATTEMPT, model="local/x", usage={}, cost_usd=None)
        for attempt in (
            ATTEMPT,
            replace(ATTEMPT, corrective=True, outcome="length", usage={"prompt_tokens": 5}),
            replace(ATTEMPT, outcome="filtered", cost_usd=None),
            FAULT,
            unknown,
            replace(ATTEMPT, stage="rubric", cost_usd=0.25),
        ):
            await record(ledger, attempt)
        answer, local, rubric = spent(ledger)
    assert (answer.stage, answer.model, answer.attempts, answer.replies) == ("answer", "openai/a", 4, 3)
    assert (answer.corrective, answer.faults, answer.truncated, answer.filtered) == (1, 1, 1, 1)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens) == (25, 4, 8)
    assert (answer.cost_usd, answer.unpriced) == (1.0, 1)
    assert (local.model, local.cost_usd, local.unpriced, local.prompt_tokens) == ("local/x", None, 1, 0)
    assert (rubric.stage, rubric.cost_usd, rubric.unpriced) == ("rubric", 0.25, 0)


def test_a_ledger_of_a_newer_version_is_refused(path: Path) -> None:
    Ledger(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    for read_only in (True, False):
        with pytest.raises(InputError, match=r"written by a newer prbgen \(ledger version 3\); upgrade prbgen"):
            Ledger(path, read_only=read_only)


async def test_a_damaged_ledger_is_refused_in_one_line(path: Path) -> None:
    with Ledger(path) as ledger:
        for number in range(200):
            await record(ledger, replace(ATTEMPT, key=f"k{number}", reply="x" * 500))
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(PrbgenError) as error, Ledger(path) as damaged:
        damaged.reply("k7")
    assert "not a ledger, or damaged" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("read_only", [True, False])
def test_what_is_no_ledger_is_refused_in_one_line_and_left_alone(path: Path, read_only: bool) -> None:
    path.write_text("dear diary, " * 1000)
    with pytest.raises(InputError, match="not a ledger, or damaged"):
        Ledger(path, read_only=read_only)
    assert path.read_text() == "dear diary, " * 1000
    path.unlink()
    path.mkdir()
    with pytest.raises(PrbgenError, match="cannot be opened"):
        Ledger(path, read_only=read_only)


def test_a_missing_ledger_is_not_made_by_a_reader(path: Path) -> None:
    with pytest.raises(PrbgenError, match="cannot be opened"):
        Ledger(path, read_only=True)
    assert not path.exists()


async def test_a_copy_of_the_folder_while_a_run_is_going_on_is_a_ledger_too(path: Path, tmp_path: Path) -> None:
    ledger = Ledger(path)
    await record(ledger, ATTEMPT)
    shutil.copytree(path.parent, tmp_path / "copy")
    with Ledger(tmp_path / "copy" / path.name) as copy:
        assert copy.reply("k0")
    ledger.close()


@pytest.mark.parametrize("statement", ["CREATE TABLE notes (text)", ""])
def test_another_programs_database_is_no_ledger(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "ledger.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement or "PRAGMA user_version")
    path.touch()
    with pytest.raises(InputError, match="not a ledger"), Ledger(path, read_only=True):
        pass
    if statement:
        with pytest.raises(InputError, match="not a ledger"), Ledger(path):
            pass


async def test_what_was_on_its_way_when_the_process_died_is_lost_and_counts_at_its_most(path: Path) -> None:
    with Ledger(path) as ledger:
        await ledger.begin(ATTEMPT.sent)
        await ledger.begin(replace(ATTEMPT.sent, submission="batch 1"))
        await record(ledger, ATTEMPT)
        assert (spent(ledger)[0].on_the_way, spent(ledger)[0].lost) == (2, 0)
    with Ledger(path) as again:
        (total,) = spent(again)
        assert (total.attempts, total.replies, total.lost, total.on_the_way, total.faults) == (3, 1, 1, 1, 0)


@pytest.mark.parametrize(
    ("outcome", "tokens", "usd"),
    [("timeout", 100, 2.0), ("connection", 100, 2.0), ("rate_limit", 0, 0.0), ("server", 0, 0.0), ("auth", 0, 0.0)],
)
async def test_a_budget_counts_what_may_have_been_billed_at_its_most(
    path: Path, outcome: str, tokens: int, usd: float
) -> None:
    with Ledger(path) as ledger:
        assert committed(ledger) == (0, 0.0)
        await record(ledger, replace(FAULT, outcome=outcome))
        assert committed(ledger) == (tokens, usd)
        known = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        await record(ledger, replace(ATTEMPT, usage=known))
        assert committed(ledger) == (tokens + 12, usd + 0.5)
        await record(ledger, replace(ATTEMPT, usage={}, cost_usd=None))
        assert committed(ledger) == (tokens + 112, usd + 2.5)


def test_a_ledger_of_the_first_version_is_read_as_it_is_and_migrated_by_a_run(path: Path) -> None:
    with closing(sqlite3.connect(path)) as old:
        old.executescript(f"BEGIN; {MIGRATIONS[0]} PRAGMA user_version = 1; COMMIT;")
        old.execute(
            "INSERT INTO attempts (key, stage, item, model, corrective, outcome, reply, usage, cost_usd, started,"
            " seconds) VALUES ('k', 'answer', 's/0', 'm', 0, 'stop', 'Hello.', '{\"prompt_tokens\": 3}', 0.25, '', 1)"
        )
        old.commit()
    for read_only in (True, False):
        with Ledger(path, read_only=read_only) as ledger:
            assert ledger.reply("k") == ("Hello.", "stop")
            assert (spent(ledger)[0].prompt_tokens, spent(ledger)[0].cost_usd) == (3, 0.25)
    with Ledger(path) as migrated:
        assert committed(migrated) == (0, 0.25)


async def test_on_a_full_disk_the_replies_that_are_in_flight_still_find_room(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(path) as ledger:
        reserve = path.with_name(path.name + ".reserve")
        whole = Ledger._transaction

        def full(self: Ledger, works: Any) -> Any:
            if reserve.exists():
                raise sqlite3.OperationalError("database or disk is full")
            return whole(self, works)

        number = await ledger.begin(ATTEMPT.sent)
        monkeypatch.setattr(Ledger, "_transaction", full)
        await ledger.finish(number, ATTEMPT.result)
        assert ledger.reply("k0")
        with pytest.raises(PrbgenError, match=r"disk is full.*stopped before spending"):
            await ledger.begin(ATTEMPT.sent)
    assert not reserve.exists()
