"""Requests that wait: they make up one batch, are bounded in number, and are given up with their client."""

from __future__ import annotations

import asyncio

import httpx
from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.ppo.serve.desk import Bounds, Desk
from prbgen.downstream.ppo.serve.metrics import Metrics
from prbgen.downstream.ppo.serve.pace import Pace
from prbgen.downstream.ppo.serve.refusal import NoScoresError
from tests.downstream.ppo.serve.reward_serving import Checksums, Served, score_of, served

_FAULTS = {"fail": "model_failed", "long": "too_long", "nan": "not_finite"}
_WORDS = st.sampled_from(["a", "b", "c", "d", *_FAULTS])
_INPUTS = st.lists(st.tuples(st.sampled_from("pqr"), _WORDS), max_size=5)
# A request, after how many turns of the loop it comes, and after how many more its client goes away, if it does.
_REQUESTS = st.lists(st.tuples(_INPUTS, st.integers(0, 12), st.none() | st.integers(0, 6)), max_size=12)


async def in_the_way(server: Served, scorer: Checksums) -> asyncio.Task[httpx.Response]:
    """A request that is being scored, and is so until the scorer is opened."""
    task = asyncio.create_task(server.ask(("first", "in the way")))
    await scorer.began.wait()
    return task


async def test_what_comes_in_while_a_batch_runs_is_the_next_one() -> None:
    scorer = Checksums()
    async with served(scorer) as server:
        first = await in_the_way(server, scorer)
        requests = [(f"prompt {number % 3}", f"response {number}") for number in range(20)]
        tasks = [asyncio.create_task(server.ask(each)) for each in requests]
        await server.until_queued(20)
        scorer.open.set()
        replies = await asyncio.gather(*tasks)
        await first
        assert await server.figure("batch_requests_count") == 2
        assert await server.figure("batch_requests_sum") == 21
        assert await server.figure('batch_inputs_bucket{le="16.0"}') == 1
        assert await server.figure("scores_total") == 21
        assert await server.figure('requests_total{status="200"}') == 21
    assert [reply.json()["scores"] for reply in replies] == [[score_of(*each)] for each in requests]
    assert len(scorer.asked) == 4


async def test_requests_that_arrive_at_about_the_same_time_are_one_batch() -> None:
    scorer = Checksums()
    scorer.open.set()
    async with served(scorer, Bounds(wait=1)) as server:
        await asyncio.gather(*(server.ask(("p", str(number))) for number in range(8)))
        assert await server.figure("batch_requests_count") == 1
        assert await server.figure("batch_inputs_sum") == 8


async def test_a_batch_is_bounded_and_a_request_is_never_split() -> None:
    scorer = Checksums()
    async with served(scorer, Bounds(batch=4)) as server:
        first = await in_the_way(server, scorer)
        tasks = []
        for count, queued in ((3, 3), (2, 5), (6, 11), (1, 12)):
            inputs = [("p", f"{queued} {number}") for number in range(count)]
            tasks.append(asyncio.create_task(server.ask(*inputs)))
            await server.until_queued(queued)
        scorer.open.set()
        await asyncio.gather(first, *tasks)
    assert [len(answers) for _, answers in scorer.asked] == [1, 3, 2, 6, 1]


async def test_a_full_queue_says_when_to_ask_again() -> None:
    scorer = Checksums()
    async with served(scorer, Bounds(queue=5)) as server:
        first = await in_the_way(server, scorer)
        waiting = asyncio.create_task(server.ask(*[("p", str(number)) for number in range(4)]))
        await server.until_queued(4)
        refused = await server.ask(("p", "5"), ("p", "6"))
        fits = asyncio.create_task(server.ask(("p", "7")))
        await server.until_queued(5)
        scorer.open.set()
        replies = await asyncio.gather(waiting, fits, first)
        assert await server.figure('failures_total{reason="queue_full"}') == 1
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert all(reply.status_code == 200 for reply in replies)


async def test_what_a_client_asked_that_has_gone_is_not_begun() -> None:
    scorer = Checksums()
    async with served(scorer) as server:
        first = await in_the_way(server, scorer)
        going = asyncio.create_task(server.ask(("p", "nobody wants it")))
        staying = asyncio.create_task(server.ask(("p", "wanted")))
        await server.until_queued(2)
        going.cancel()
        await server.until_queued(1)
        scorer.open.set()
        await asyncio.gather(first, staying)
        assert await server.figure('failures_total{reason="client_gone"}') == 1
    assert scorer.asked == [("first", ("in the way",)), ("p", ("wanted",))]


@given(_REQUESTS, st.integers(1, 6))
def test_however_requests_interleave_each_gets_its_own_scores(
    requests: list[tuple[list[tuple[str, str]], int, int | None]], batch: int
) -> None:
    scorer = Checksums()

    async def one(desk: Desk, inputs: list[tuple[str, str]], comes: int, goes: int | None) -> None:
        await _turns(comes)
        task = asyncio.create_task(desk.scores(inputs))
        if goes is not None:
            await _turns(goes)
            task.cancel()
        (scores,) = await asyncio.gather(task, return_exceptions=True)
        faults = {_FAULTS[text] for _, text in inputs if text in _FAULTS}
        if isinstance(scores, NoScoresError):
            assert scores.reason in faults
        elif isinstance(scores, BaseException):
            assert isinstance(scores, asyncio.CancelledError)
            assert goes is not None
        else:
            assert scores == tuple(score_of(*each) for each in inputs)
            assert not faults

    async def main() -> None:
        scorer.open.set()
        desk = Desk(Bounds(batch=batch, wait=0), Metrics())
        work = asyncio.create_task(desk.serve(scorer, asyncio.Event()))
        await asyncio.sleep(0)
        await asyncio.gather(*(one(desk, *each) for each in requests))
        assert not work.done()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    asyncio.run(main())


async def _turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@given(st.lists(st.tuples(st.integers(1, 1000), st.floats(0, 1000)), max_size=5), st.integers(0, 10**6))
def test_a_pace_is_between_those_that_were_seen(batches: list[tuple[int, float]], queued: int) -> None:
    pace = Pace()
    for inputs, seconds in batches:
        pace.note(inputs, seconds)
    told = pace.seconds_for(queued)
    assert 1 <= told <= 60
    if batches:
        each = [seconds / inputs for inputs, seconds in batches]
        assert told <= max(1, queued * max(each) * 1.001 + 1)
        assert told >= min(60, queued * min(each) * 0.999)
