"""What raters have answered comes back as they gave it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from prbgen.annotation.argilla.accounts import ensure_raters
from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.argilla.records import push
from prbgen.annotation.argilla.responses import responses, usernames, utc
from prbgen.annotation.response import Response
from prbgen.annotation.roster import Rater
from prbgen.errors import InputError
from tests.annotation.argilla.rounds import as_rater, ids, items, laid_out, new_name, respond
from tests.annotation.server.embedded import Server

PASSWORD = "a long password"


def answer(rater: httpx.Client, record: str, status: str = "submitted", **values: object) -> None:
    respond(rater, record, status, **values).raise_for_status()


def alias(username: str) -> str:
    return f"rater-{username[::-1]}"


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_values_status_and_times_are_kept(server: Server, owner: Connection) -> None:
    workspace, dataset = laid_out(owner)
    rater = Rater(new_name(), PASSWORD)
    ensure_raters(owner, workspace, [rater], lambda *_: None)
    push(owner, dataset, items(4), lambda _: None)
    one, two, three, _ = (each["id"] for each in owner.call("GET", f"datasets/{dataset.id}/records")["items"])
    began = now()
    all_of_it: dict[str, Any] = {
        "factuality_a": 0,
        "covers_a": ["2", "1"],
        "better": "equal",
        "comment": "Zoë: <b>fine</b>",
    }
    with as_rater(server, rater.username, PASSWORD) as client:
        answer(client, one, "draft", factuality_a=2)
        [draft] = responses(owner, dataset, usernames(owner, dataset), alias)
        assert (draft.status, draft.submitted_at) == ("draft", None)
        answer(client, two, "discarded")
        answer(client, three, **all_of_it)
        mine = client.get(f"/records/{one}").json()
        [response] = mine["responses"]
        body = {"values": {"factuality_a": {"value": 5}}, "status": "submitted"}
        client.put(f"/responses/{response['id']}", json=body).raise_for_status()
    ended = now()
    first, second, third = responses(owner, dataset, usernames(owner, dataset), alias)
    assert [each.item for each in (first, second, third)] == ids(3)
    assert {each.rater for each in (first, second, third)} == {alias(rater.username)}
    assert (first.status, first.values) == ("submitted", {"factuality_a": 5})
    assert (second.status, second.values) == ("discarded", {})
    assert (third.status, third.values) == ("submitted", all_of_it)
    # The server's clock is this machine's; an hour's difference would be a time zone.
    assert first.begun_at == draft.begun_at
    for each in (first, second, third):
        assert each.begun_at is not None
        assert each.submitted_at is not None
        assert began <= each.begun_at <= each.submitted_at <= ended
        assert datetime.fromisoformat(each.begun_at).utcoffset() == timedelta(0)
    assert first.submitted_at is not None
    assert first.begun_at is not None
    assert first.submitted_at > first.begun_at


def test_a_rater_without_a_name_is_refused_and_one_deleted_is_gone(server: Server, owner: Connection) -> None:
    workspace, dataset = laid_out(owner)
    rater = Rater(new_name(), PASSWORD)
    ensure_raters(owner, workspace, [rater], lambda *_: None)
    push(owner, dataset, items(1), lambda _: None)
    [record] = owner.call("GET", f"datasets/{dataset.id}/records")["items"]
    with as_rater(server, rater.username, PASSWORD) as client:
        answer(client, record["id"], factuality_a=2)
        me = client.get("/me").json()["id"]
    names = usernames(owner, dataset)
    assert names[me] == rater.username
    with pytest.raises(InputError, match="a rater got an account a moment ago; run the same command again"):
        list(responses(owner, dataset, {}, alias))
    owner.call("DELETE", f"users/{me}")
    assert list(responses(owner, dataset, names, alias)) == []


def test_a_record_that_somebody_made_by_hand_is_no_item_of_the_round(server: Server, owner: Connection) -> None:
    workspace, dataset = laid_out(owner)
    rater = Rater(new_name(), PASSWORD)
    ensure_raters(owner, workspace, [rater], lambda *_: None)
    push(owner, dataset, items(1), lambda _: None)
    by_hand = {"items": [{"fields": {"item": {"question": "Mine?"}}}]}
    [made] = owner.call("POST", f"datasets/{dataset.id}/records/bulk", json=by_hand)["items"]
    assert made["external_id"] is None
    with as_rater(server, rater.username, PASSWORD) as client:
        answer(client, made["id"], factuality_a=2)
    [response] = responses(owner, dataset, usernames(owner, dataset), alias)
    assert response.item == f"argilla-record-{made['id']}"
    assert response.values == {"factuality_a": 2}


def test_three_raters_submit_while_responses_are_read_and_more_records_come(server: Server, owner: Connection) -> None:
    workspace, dataset = laid_out(owner)
    raters = [Rater(new_name(), PASSWORD) for _ in range(3)]
    ensure_raters(owner, workspace, raters, lambda *_: None)
    push(owner, dataset, items(30), lambda _: None)
    there = owner.call("GET", f"datasets/{dataset.id}/records", params={"limit": 100})["items"]
    failed: list[str] = []

    def rate(number: int, rater: Rater) -> None:
        with as_rater(server, rater.username, PASSWORD) as client:
            for place, record in enumerate(there):
                done = respond(client, record["id"], factuality_a=(place + number) % 6)
                if done.is_error:
                    failed.append(done.text)

    threads = [threading.Thread(target=rate, args=each) for each in enumerate(raters)]
    for thread in threads:
        thread.start()
    names = usernames(owner, dataset)
    pulls: list[list[Response]] = []
    added = 30
    while any(thread.is_alive() for thread in threads):
        pulls.append(list(responses(owner, dataset, names, alias)))
        push(owner, dataset, items(5, first=added), lambda _: None)
        added += 5
    for thread in threads:
        thread.join()
    assert failed == []
    final = list(responses(owner, dataset, names, alias))
    wanted = {
        (item, alias(rater.username)): (place + number) % 6
        for number, rater in enumerate(raters)
        for place, item in enumerate(ids(30))
    }
    assert {(each.item, each.rater): each.values["factuality_a"] for each in final} == wanted
    assert len(final) == 90
    known = {(each.item, each.rater): each for each in final}
    for earlier in pulls:
        assert len({(each.item, each.rater) for each in earlier}) == len(earlier)
        for each in earlier:
            assert known[each.item, each.rater] == each


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2026-03-01T12:00:00.123456", "2026-03-01T12:00:00.123456Z"),
        ("2026-03-01T12:00:00", "2026-03-01T12:00:00.000000Z"),
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000000Z"),
        ("2026-03-01T14:00:00+02:00", "2026-03-01T12:00:00.000000Z"),
    ],
)
def test_times_are_utc_however_a_server_writes_them(given: str, kept: str) -> None:
    assert utc(given) == kept
