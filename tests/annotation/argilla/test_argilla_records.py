"""Each record once and in order, whatever happens to a push; and superseded ones taken back."""

from __future__ import annotations

import json
import random
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from prbgen.annotation.argilla import records as module
from prbgen.annotation.argilla.accounts import ensure_raters
from prbgen.annotation.argilla.connection import Connection, connect
from prbgen.annotation.argilla.dataset import ensure_dataset, find_dataset
from prbgen.annotation.argilla.pages import PAGE, records
from prbgen.annotation.argilla.patience import Patience
from prbgen.annotation.argilla.records import BATCH, Pushed, push, withdraw
from prbgen.annotation.argilla.workspace import ensure_workspace
from prbgen.annotation.items import Content, Item
from prbgen.annotation.roster import Rater
from prbgen.errors import PrbgenError
from tests.annotation.argilla.faulty import Fault, Faulty
from tests.annotation.argilla.rounds import (
    FORM,
    HASTY,
    as_rater,
    campaign,
    ids,
    ids_there,
    items,
    laid_out,
    new_name,
    respond,
)
from tests.annotation.server.embedded import API_KEY, Server


def quiet(_: int) -> None:
    pass


def counts(pushed: Pushed) -> tuple[int, int]:
    """How many records were sent, and how many were there."""
    return len(pushed.created), pushed.unchanged


def test_records_come_once_in_order_with_nothing_that_gives_them_away(owner: Connection) -> None:
    _, dataset = laid_out(owner)
    done: list[int] = []
    assert counts(push(owner, dataset, items(BATCH + 5), done.append)) == (BATCH + 5, 0)
    assert done == [BATCH, 5]
    assert ids_there(owner, dataset) == ids(BATCH + 5)
    first = next(records(owner, dataset.id, include="suggestions"))
    assert first["metadata"] == {"subset": "Lifestyle_and_Personal_Development"}
    assert first["suggestions"] == []
    assert first["fields"]["item"]["b"] == "No, 0 &lt;b&gt;never&lt;/b&gt;."
    assert set(first["fields"]["item"]) == set(Content.model_fields)


def test_a_second_push_changes_nothing_and_a_longer_one_adds_the_rest(owner: Connection) -> None:
    _, dataset = laid_out(owner)
    push(owner, dataset, items(10), quiet)
    before = list(records(owner, dataset.id))
    assert counts(push(owner, dataset, items(10), quiet)) == (0, 10)
    assert list(records(owner, dataset.id)) == before
    assert counts(push(owner, dataset, items(14), quiet)) == (4, 10)
    assert counts(push(owner, dataset, iter(()), quiet)) == (0, 0)
    assert ids_there(owner, dataset) == ids(14)


def test_what_is_there_is_asked_without_its_text(server: Server, faulty: Faulty) -> None:
    with connect(faulty.url, API_KEY) as connection:
        _, dataset = laid_out(connection)
        push(connection, dataset, items(30), quiet)
        before = len(faulty.requests)
        push(connection, dataset, items(30), quiet)
        assert faulty.requests[before:] == [("POST", f"/api/v1/datasets/{dataset.id}/records/search")]


def test_a_server_that_fails_every_fifth_time_gets_all(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 5)
    chance = random.Random(5)
    faults = [Fault(status=500), Fault(lost=False, status=500), Fault(), Fault(lost=False)]
    with connect(faulty.url, API_KEY, HASTY) as connection:
        _, dataset = laid_out(connection)
        faulty.plan = lambda *_: chance.choice(faults) if chance.random() < 0.2 else None
        assert counts(push(connection, dataset, items(100), quiet)) == (100, 0)
        faulty.plan = lambda *_: None
        assert ids_there(connection, dataset) == ids(100)


def test_a_push_that_was_given_up_goes_on(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 5)
    with connect(faulty.url, API_KEY, HASTY) as connection:
        _, dataset = laid_out(connection)
        done: list[int] = []
        # The fourth batch arrives, but no answer says so.
        faulty.plan = lambda _, method, __: Fault(lost=False) if method == "PUT" and len(done) == 3 else None
        with pytest.raises(PrbgenError, match="the same command goes on"):
            push(connection, dataset, items(32), done.append)
        faulty.plan = lambda *_: None
        assert counts(push(connection, dataset, items(32), quiet)) == (12, 20)
        assert ids_there(connection, dataset) == ids(32)


def test_two_managers_who_push_the_same_plan_make_no_doubles(
    server: Server, owner: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 10)
    workspace, dataset = laid_out(owner)
    barrier = threading.Barrier(2)
    ended: list[Pushed] = []

    def manage() -> None:
        with connect(server.url, API_KEY, Patience(attempts=9, first_wait=0.05)) as connection:
            found = find_dataset(connection, workspace, dataset.name)
            assert found is not None
            barrier.wait()
            ended.append(push(connection, found, items(150), quiet))

    threads = [threading.Thread(target=manage) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(pushed.created) + pushed.unchanged for pushed in ended] == [150, 150]
    assert ids_there(owner, dataset) == ids(150)


def test_a_server_killed_in_mid_push_gets_each_record_once_and_in_order(
    argilla_python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 20)
    server = Server(argilla_python, tmp_path / "home").start()
    round_ = campaign()
    reached: list[int] = []

    def done(number: int) -> None:
        reached.append(number)
        if len(reached) == 5:
            # While the next batch is on its way.
            threading.Timer(0.1, server.process.kill).start()

    with connect(server.url, API_KEY, HASTY) as connection:
        workspace = ensure_workspace(connection, round_.workspace, ours=[])
        dataset = ensure_dataset(connection, workspace, round_, FORM, 2)
        with pytest.raises(PrbgenError, match="the same command goes on"):
            push(connection, dataset, items(300), done)
    server.stop(signal.SIGKILL)
    assert 100 <= sum(reached) < 300
    server.start()
    try:
        with connect(server.url, API_KEY) as connection:
            assert ensure_dataset(connection, workspace, round_, FORM, 2) == dataset
            pushed = push(connection, dataset, items(300), quiet)
            assert len(pushed.created) + pushed.unchanged == 300
            assert pushed.unchanged >= 100
            assert ids_there(connection, dataset) == ids(300)
    finally:
        server.stop()


def test_superseded_records_go_unless_somebody_has_responded(server: Server, owner: Connection) -> None:
    workspace, dataset = laid_out(owner)
    rater = Rater(new_name(), "a long password")
    ensure_raters(owner, workspace, [rater], lambda *_: None)
    push(owner, dataset, items(120), quiet)
    by_id = {record["external_id"]: record["id"] for record in records(owner, dataset.id)}
    with as_rater(server, rater.username, "a long password") as client:
        respond(client, by_id["pair-00001-0a1b"], factuality_a=3).raise_for_status()
        respond(client, by_id["pair-00002-0a1b"], "draft", factuality_a=3).raise_for_status()
        respond(client, by_id["pair-00003-0a1b"], "discarded").raise_for_status()
    assert withdraw(owner, dataset, ["unknown", *ids(110)]) == tuple(ids(3, first=1))
    assert ids_there(owner, dataset) == [*ids(3, first=1), *ids(10, first=110)]
    assert withdraw(owner, dataset, []) == ()


def test_what_is_rated_while_others_are_withdrawn_stays(server: Server, faulty: Faulty, owner: Connection) -> None:
    workspace, dataset = laid_out(owner)
    rater = Rater(new_name(), "a long password")
    ensure_raters(owner, workspace, [rater], lambda *_: None)
    push(owner, dataset, items(30), quiet)
    last = list(records(owner, dataset.id))[-1]["id"]
    with as_rater(server, rater.username, "a long password") as client, connect(faulty.url, API_KEY) as connection:
        came: list[int] = []

        def plan(_: int, method: str, __: str) -> None:
            if method == "DELETE" and not came:
                came.append(respond(client, last, factuality_a=3).status_code)

        faulty.plan = plan
        assert withdraw(connection, dataset, ids(30)) == tuple(ids(1, first=29))
    assert came == [201]
    assert ids_there(owner, dataset) == ids(1, first=29)


def test_items_are_taken_one_batch_at_a_time(owner: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 5)
    _, dataset = laid_out(owner)
    taken = 0

    def counted() -> Iterator[tuple[Item, Content]]:
        nonlocal taken
        for each in items(20):
            taken += 1
            yield each

    seen: list[int] = []
    push(owner, dataset, counted(), lambda _: seen.append(taken))
    assert seen == [5, 10, 15, 20]


@pytest.mark.parametrize("added", [0, 10, 40])
def test_reading_misses_nothing_when_records_are_added_and_deleted_meanwhile(owner: Connection, added: int) -> None:
    _, dataset = laid_out(owner)
    push(owner, dataset, items(PAGE + 20), quiet)
    read: list[str] = []
    for record in records(owner, dataset.id):
        read.append(record["external_id"])
        if len(read) == 1:
            withdraw(owner, dataset, ids(30, first=5))
            push(owner, dataset, items(added, first=PAGE + 20), quiet)
    assert len(read) == len(set(read))
    assert set(ids_there(owner, dataset)) == set(ids(5)) | set(ids(PAGE + 20 + added - 35, first=35))
    assert set(read) >= set(ids_there(owner, dataset))


def test_reading_gives_up_when_records_go_faster_than_they_are_read(faulty: Faulty) -> None:
    with connect(faulty.url, API_KEY, HASTY) as connection:
        body = json.dumps({"items": [{"id": str(number)} for number in range(PAGE)], "total": 2 * PAGE})
        faulty.plan = lambda *_: Fault(status=200, body=body.encode())
        with pytest.raises(PrbgenError, match="try again later"):
            list(records(connection, "some"))
