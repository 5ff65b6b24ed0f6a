"""Finding, filtering, sorting and counting records on the real server."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import httpx
import pytest

from tests.annotation.server.embedded import (
    RESPONSE_STATUS,
    Campaign,
    Server,
    between,
    metadata,
    record,
    response,
    suggestion,
    terms,
)

N = 12


def item(campaign: Campaign, number: int) -> dict[str, Any]:
    """Record `number`: even ones are about tofu, the others about salmon."""
    question = campaign.questions
    return {
        "external_id": f"r{number:02}",
        "fields": {
            "question": f"How do I cook dish number {number} with {'salmon' if number % 2 else 'tofu'}?",
            "answer": "" if number else "Only this answer has walnuts. 豆腐と東京。",
        },
        "metadata": {"terms": f"t{number % 3}", "integer": number, "float": number / 8} if number < 10 else {},
        "suggestions": [
            {
                "question_id": question["quality"],
                "value": number % 6,
                "score": number / 20,
                "agent": f"judge-{number % 2}",
            },
            {"question_id": question["aspects"], "value": ["one", "two"][: 1 + number % 2], "type": "model"},
        ]
        if number < 6
        else [],
    }


@pytest.fixture(scope="module")
def campaign(server: Server) -> Iterator[Campaign]:
    """Twelve records want two answers each: rater 0 rated 0 to 3 (6 is a draft, 7 discarded), rater 1 rated 2 to 5."""
    made = Campaign(server, raters=3, min_submitted=2)
    ids = made.upsert(item(made, number) for number in range(N))
    for number in range(4):
        better = "A" if number % 2 else "B"
        made.respond(made.raters[0], ids[number], quality=number, better=better, aspects=["one", "three"])
    for number in range(2, 6):
        made.respond(made.raters[1], ids[number], quality=5)
    made.respond(made.raters[0], ids[6], "draft", quality=1)
    made.respond(made.raters[0], ids[7], "discarded")
    yield made
    for client in (made.rest, *made.raters):
        client.close()


def ids(*numbers: int) -> list[str]:
    return [f"r{number:02}" for number in numbers]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("salmon", (1, 3, 5, 7, 9, 11)),
        ("salmon 7", (7,)),
        ('"dish number 1"', (1,)),
        ("dish -salmon walnut*", (0,)),
        ("walnuts | 5", (0, 5)),
        ("豆腐", (0,)),
        ("東京", (0,)),
        ("*", tuple(range(N))),
        ("", tuple(range(N))),
        ("?", ()),
        ("nothing of the kind", ()),
    ],
)
def test_text_is_found(campaign: Campaign, text: str, numbers: tuple[int, ...]) -> None:
    found, total = campaign.search(text)
    assert (sorted(found), total) == (ids(*numbers), len(numbers))


def test_text_is_found_in_one_field(campaign: Campaign) -> None:
    assert campaign.search("walnuts", field="answer") == (ids(0), 1)
    assert campaign.search("walnuts", field="question") == ([], 0)


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (terms(metadata("terms"), "t1"), (1, 4, 7)),
        (terms(metadata("terms"), "t0", "t2"), (0, 2, 3, 5, 6, 8, 9)),
        (between(metadata("integer"), 8), (8, 9)),
        (between(metadata("integer"), 2, 3), (2, 3)),
        (between(metadata("float"), greatest=0.125), (0, 1)),
        (terms(suggestion("quality"), "3"), (3,)),
        (between(suggestion("quality"), 4), (4, 5)),
        (between(suggestion("quality", "score"), 0.2), (4, 5)),
        (terms(suggestion("quality", "agent"), "judge-1"), (1, 3, 5)),
        (terms(suggestion("aspects"), "two"), (1, 3, 5)),
        (terms(suggestion("aspects", "type"), "model"), (0, 1, 2, 3, 4, 5)),
        (terms(response("quality"), "5"), (2, 3, 4, 5)),
        (between(response("quality"), 2, 3), (2, 3)),
        (terms(response("better"), "A"), (1, 3)),
        (terms(response("aspects"), "three"), (0, 1, 2, 3)),
        (terms(RESPONSE_STATUS, "submitted"), (0, 1, 2, 3, 4, 5)),
        (terms(RESPONSE_STATUS, "draft", "discarded"), (6, 7)),
        (terms(RESPONSE_STATUS, "pending"), (8, 9, 10, 11)),
        (terms(RESPONSE_STATUS, "pending", "draft"), (6, 8, 9, 10, 11)),
        (terms(record("status"), "completed"), (2, 3)),
        (terms(record("external_id"), "r04", "r09", "r99"), (4, 9)),
    ],
)
def test_filters_let_the_right_records_through(
    campaign: Campaign, wanted: dict[str, Any], numbers: tuple[int, ...]
) -> None:
    assert campaign.search(None, wanted) == (ids(*numbers), len(numbers))


def test_filters_and_text_must_all_hold(campaign: Campaign) -> None:
    found = campaign.search("salmon", terms(RESPONSE_STATUS, "submitted"), between(metadata("integer"), 2))
    assert (sorted(found[0]), found[1]) == (ids(3, 5), 2)


@pytest.mark.parametrize(
    ("sort", "first"),
    [
        ([(metadata("integer"), "desc")], (9, 8, 7)),
        ([(metadata("terms"), "asc"), (metadata("integer"), "desc")], (9, 6, 3)),
        ([(suggestion("quality", "score"), "desc")], (5, 4, 3)),
        # The average of both raters: (0), (1), (2, 5), (3, 5), 5, 5; the draft counts as it does in Argilla.
        ([(response("quality"), "asc"), (record("external_id"), "desc")], (0, 6, 1)),
        ([(record("inserted_at"), "desc")], (11, 10, 9)),
        ([(record("external_id"), "asc")], (0, 1, 2)),
    ],
)
def test_records_are_sorted(campaign: Campaign, sort: list[tuple[dict[str, str], str]], first: tuple[int, ...]) -> None:
    found, total = campaign.search(sort=sort, limit=3)
    assert (found, total) == (ids(*first), N)


def test_pages_are_parts_of_one_order(campaign: Campaign) -> None:
    everything, total = campaign.search()
    assert everything == ids(*range(N))
    pages = [campaign.search(offset=offset, limit=5) for offset in (0, 5, 10, 15)]
    assert [record_id for found, _ in pages for record_id in found] == everything
    assert {total_ for _, total_ in pages} == {total}


def test_each_rater_has_an_order_of_their_own_that_never_changes(campaign: Campaign) -> None:
    orders = [campaign.search(rater=rater)[0] for rater in campaign.raters]
    assert all(sorted(order) == ids(*range(N)) for order in orders)
    assert len({tuple(order) for order in orders}) == len(orders)
    assert orders == [campaign.search(rater=rater)[0] for rater in campaign.raters]
    in_pages = [campaign.search(rater=campaign.raters[0], offset=at, limit=4)[0] for at in (0, 4, 8)]
    assert [record_id for page in in_pages for record_id in page] == orders[0]


def test_a_raters_queue_holds_what_they_have_not_rated_and_others_have_not_completed(campaign: Campaign) -> None:
    queues = []
    for rater in campaign.raters:
        queue, total = campaign.search(
            None, terms(RESPONSE_STATUS, "pending"), terms(record("status"), "pending"), rater=rater
        )
        assert total == len(queue)
        queues.append(sorted(queue))
    assert queues == [ids(4, 5, *range(8, N)), ids(0, 1, *range(6, N)), ids(0, 1, *range(4, N))]


def test_filters_by_response_look_at_the_raters_own(campaign: Campaign) -> None:
    own = [sorted(campaign.search(None, terms(response("quality"), "5"), rater=rater)[0]) for rater in campaign.raters]
    assert own == [[], ids(2, 3, 4, 5), []]


def test_progress_counts_records_and_responses(campaign: Campaign) -> None:
    progress = campaign.rest.get(f"/datasets/{campaign.id}/progress").json()
    assert {name: progress[name] for name in ("total", "completed", "pending")} == {
        "total": N,
        "completed": 2,
        "pending": 10,
    }
    responses = campaign.raters[0].get(f"/me/datasets/{campaign.id}/metrics").json()["responses"]
    assert responses == {"total": N, "submitted": 4, "discarded": 1, "draft": 1, "pending": 6}
    users = campaign.rest.get(f"/datasets/{campaign.id}/users/progress").json()["users"]
    assert sorted(user["completed"]["submitted"] + user["pending"]["submitted"] for user in users) == [4, 4]


def test_metadata_is_summed_up(campaign: Campaign) -> None:
    def metrics(name: str) -> Any:
        return campaign.rest.get(f"/metadata-properties/{campaign.properties[name]}/metrics").json()

    assert metrics("terms") == {
        "type": "terms",
        "total": 10,
        "values": [{"term": "t0", "count": 4}, {"term": "t1", "count": 3}, {"term": "t2", "count": 3}],
    }
    assert metrics("integer") == {"type": "integer", "min": 0, "max": 9}
    assert metrics("float") == {"type": "float", "min": 0.0, "max": 1.125}


def test_the_status_page_names_the_engine(server: Server) -> None:
    with server.client() as rest:
        status = rest.get("/status").json()
    assert status["version"] == "2.8.0"
    assert status["search_engine"]["name"] == "embedded SQLite"


def test_similarity_is_refused_with_a_reason(server: Server) -> None:
    campaign = Campaign(server)
    campaign.rest.post(f"/datasets/{campaign.id}/vectors-settings", json={"name": "v", "title": "v", "dimensions": 2})
    campaign.upsert([{"external_id": "a", "fields": {"question": "a"}, "vectors": {"v": [1, 0]}}])
    body = {"query": {"vector": {"name": "v", "value": [1.0, 0.0]}}}
    with pytest.raises(AssertionError, match=r"422.*can't search by similarity"):
        campaign.rest.post(f"/datasets/{campaign.id}/records/search", json=body)


def test_changes_are_found_at_once(server: Server) -> None:
    campaign = Campaign(server, raters=1)
    rater = campaign.raters[0]
    [first, second] = campaign.upsert([item(campaign, 0), item(campaign, 1)])
    assert campaign.upsert([item(campaign, 0), item(campaign, 1)]) == [first, second]
    assert campaign.search()[1] == 2

    campaign.upsert([item(campaign, 0) | {"fields": {"question": "figs"}, "metadata": {"terms": "new"}}])
    assert campaign.search("figs", terms(metadata("terms"), "new")) == (ids(0), 1)
    assert campaign.search("walnuts") == ([], 0)

    answer = campaign.respond(rater, first, quality=2)
    assert campaign.search(None, terms(record("status"), "completed")) == (ids(0), 1)
    rater.put(f"/responses/{answer['id']}", json={"values": {"quality": {"value": 4}}, "status": "submitted"})
    assert campaign.search(None, terms(response("quality"), "4")) == (ids(0), 1)
    rater.delete(f"/responses/{answer['id']}")
    assert campaign.search(None, terms(RESPONSE_STATUS, "pending"))[1] == 2

    suggested = campaign.rest.get(f"/datasets/{campaign.id}/records", params={"include": "suggestions"}).json()
    [of_second] = [each["suggestions"] for each in suggested["items"] if each["id"] == second]
    [quality] = [each["id"] for each in of_second if each["question_id"] == campaign.questions["quality"]]
    campaign.rest.delete(f"/records/{second}/suggestions", params={"ids": quality})
    assert campaign.search(None, terms(suggestion("quality"), "1")) == ([], 0)

    campaign.rest.delete(f"/datasets/{campaign.id}/records", params={"ids": first})
    assert campaign.search("figs") == ([], 0)
    assert campaign.search() == (ids(1), 1)
    campaign.rest.delete(f"/datasets/{campaign.id}")


def test_completion_is_counted_anew_when_fewer_answers_are_wanted(server: Server) -> None:
    campaign = Campaign(server, raters=1, min_submitted=2)
    [first, _] = campaign.upsert([item(campaign, 0), item(campaign, 1)])
    campaign.respond(campaign.raters[0], first, quality=2)
    completed = terms(record("status"), "completed")
    assert campaign.search(None, completed) == ([], 0)
    # Argilla leaves this to a background job.
    campaign.rest.patch(f"/datasets/{campaign.id}", json={"distribution": {"strategy": "overlap", "min_submitted": 1}})
    patience = time.monotonic() + 20
    while campaign.search(None, completed)[1] == 0 and time.monotonic() < patience:
        time.sleep(0.1)
    assert campaign.search(None, completed) == (ids(0), 1)


def test_three_raters_and_a_push_at_once_lose_nothing(server: Server) -> None:
    campaign = Campaign(server, raters=3, min_submitted=2)
    records = campaign.upsert(item(campaign, number) for number in range(N))

    def rate(rater: httpx.Client) -> None:
        for each in records:
            campaign.respond(rater, each, quality=4)

    def push() -> None:
        for number in range(N, 3 * N):
            campaign.upsert([item(campaign, number)])

    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(push), *(pool.submit(rate, rater) for rater in campaign.raters)]:
            done.result()
    assert campaign.search(None, terms(record("status"), "completed"))[1] == N
    assert campaign.search(None, terms(RESPONSE_STATUS, "pending"))[1] == 2 * N
    for rater in campaign.raters:
        responses = rater.get(f"/me/datasets/{campaign.id}/metrics").json()["responses"]
        assert (responses["total"], responses["submitted"]) == (3 * N, N)


def test_nothing_is_left_of_the_text_of_a_deleted_dataset(server: Server) -> None:
    campaign = Campaign(server)
    [record_id] = campaign.upsert([{"external_id": "a", "fields": {"question": "ephemeral"}}])
    text = "SELECT text FROM search_text WHERE record_id = ?"
    with closing(sqlite3.connect(server.home / "argilla.db")) as database:
        assert database.execute(text, (record_id.replace("-", ""),)).fetchall() == [("ephemeral",)]
        campaign.rest.delete(f"/datasets/{campaign.id}")
        assert database.execute(text, (record_id.replace("-", ""),)).fetchall() == []


def test_nobody_gets_in_without_a_key(server: Server) -> None:
    assert httpx.get(f"{server.url}/api/v1/me").status_code == 401
