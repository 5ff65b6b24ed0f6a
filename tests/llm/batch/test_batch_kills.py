"""A process that is killed while batches are out: nothing is paid for twice, nothing is lost."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from prbgen.llm.ledger import Ledger
from prbgen.recipe import LimitSettings
from tests.llm.batch.desk import PROVIDERS, Desk
from tests.llm.batch.providers_stand_in import Batch, ProvidersStandIn
from tests.processes import start_python

CALLS = 250
ITEMS = [f"question {n}" for n in range(CALLS)]
REPLIES = [f"reply to {item}" for item in ITEMS]
RUN = """
import sys
from pathlib import Path
from tests.llm.batch.desk import Desk
folder, url, provider, calls = sys.argv[1:]
Desk(Path(folder), url, provider).run([f"question {n}" for n in range(int(calls))])
"""


@pytest.fixture
def desk(tmp_path: Path, server: ProvidersStandIn, provider: str) -> Desk:
    return Desk(tmp_path, server.url, provider)


def kill_when_held(desk: Desk, server: ProvidersStandIn, recorded: int = 0) -> None:
    """Kill a process of its own, started on the desk's run, at the step where the server holds it."""
    process = start_python(RUN, str(desk.folder), server.url, desk.provider, str(CALLS))
    try:
        assert server.holding.wait(60), process.poll()
        deadline = time.monotonic() + 30
        while replies(desk) < recorded and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    assert replies(desk) == recorded
    server.held_at, server.held_after = "", 0


def replies(desk: Desk) -> int:
    with Ledger(desk.folder / "ledger.sqlite", read_only=True) as ledger:
        return int(ledger.query("SELECT count(reply) FROM attempts")[0][0])


def assert_paid_once(desk: Desk, server: ProvidersStandIn) -> None:
    assert set(server.asked().values()) == {1}
    assert desk.rows("count(reply), count(DISTINCT key)", "WHERE reply IS NOT NULL") == [(CALLS, CALLS)]
    assert desk.committed()[0] == 15 * CALLS


@pytest.mark.parametrize("provider", PROVIDERS)
def test_killed_between_the_record_and_the_submission(desk: Desk, server: ProvidersStandIn, provider: str) -> None:
    server.held_at = "upload" if provider == "openai" else "create_anthropic"
    kill_when_held(desk, server)
    assert desk.rows() == [("sent", CALLS)]
    # What never came to the provider takes nothing out of the budget: all of it fits in again.
    most = desk.committed()[0]
    assert desk.run(ITEMS, limits=LimitSettings(budget_tokens=most)) == REPLIES
    assert len(server.batches) == 1
    assert desk.rows() == [("lost", CALLS), ("stop", CALLS)]
    assert_paid_once(desk, server)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_killed_between_the_submission_and_its_confirmation(
    desk: Desk, server: ProvidersStandIn, provider: str
) -> None:
    server.held_at = f"after create_{provider}"
    kill_when_held(desk, server)
    # Others submit, too: more than one page of them.
    mine = server.batches[0]
    for n in range(5):
        server.batches.append(Batch(provider, f"{mine.id}{n}", mine.requests[:1], time.time(), f"another's {n}"))
    desk_after = desk.run(ITEMS)
    server.batches = [mine]
    assert desk_after == REPLIES
    assert desk.rows() == [("stop", CALLS)]
    assert_paid_once(desk, server)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_killed_while_results_come_in(desk: Desk, server: ProvidersStandIn, provider: str) -> None:
    server.held_after = CALLS // 2
    kill_when_held(desk, server, recorded=100)
    assert desk.run(ITEMS) == REPLIES
    assert desk.rows() == [("stop", CALLS)]
    assert_paid_once(desk, server)


@pytest.mark.parametrize("provider", ["anthropic"])
@pytest.mark.parametrize("arrived", [True, False])
def test_a_batch_of_the_same_size_that_is_anothers_is_told_by_its_results(
    desk: Desk, server: ProvidersStandIn, arrived: bool
) -> None:
    server.held_at = "after create_anthropic" if arrived else "create_anthropic"
    kill_when_held(desk, server)
    requests = [(f"theirs-{n}", {"messages": [{"content": "?"}]}) for n in range(CALLS)]
    theirs = Batch("anthropic", "msgbatch_theirs", requests, time.time() - 60)
    server.batches.insert(0, theirs)
    assert desk.run(ITEMS) == REPLIES
    assert desk.rows() == [("stop", CALLS)] if arrived else [("lost", CALLS), ("stop", CALLS)]
    server.batches.remove(theirs)
    assert_paid_once(desk, server)
