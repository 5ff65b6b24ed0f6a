import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InterruptError
from prbgen.llm.flow import as_finished


@given(st.lists(st.integers(0, 5), max_size=60), st.integers(1, 8))
def test_each_result_comes_once_with_its_place_and_few_are_under_way(delays: list[int], at_once: int) -> None:
    under_way = most = 0

    async def work(delay: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(delay):
            await asyncio.sleep(0)
        under_way -= 1
        return delay * 10

    async def main() -> list[tuple[int, int]]:
        return [each async for each in as_finished(delays, work, at_once=at_once, stop=asyncio.Event())]

    assert sorted(asyncio.run(main())) == [(place, delay * 10) for place, delay in enumerate(delays)]
    assert most <= at_once


async def test_as_many_are_at_work_as_may_be() -> None:
    most = under_way = 0

    async def work(item: int) -> int:
        nonlocal most, under_way
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(random.Random(item).random() / 100)
        under_way -= 1
        return item

    results = [each async for each in as_finished(range(100), work, at_once=10, stop=asyncio.Event())]
    assert sorted(results) == [(item, item) for item in range(100)]
    assert most == 10


async def test_a_slow_item_holds_up_nothing_but_itself_and_nothing_piles_up() -> None:
    taken = 0
    release = asyncio.Event()

    def source() -> Iterator[int]:
        nonlocal taken
        for item in range(10_000):
            taken += 1
            yield item

    async def work(item: int) -> int:
        if item == 0:
            await release.wait()
        return item

    async with aclosing(as_finished(source(), work, at_once=4, stop=asyncio.Event())) as results:
        for number in range(1, 9_999):
            place, _ = await anext(results)
            assert place > 0
            assert taken <= number + 8
        release.set()
        assert 0 in [(await anext(results))[0], (await anext(results))[0]]


async def test_a_stop_finishes_what_is_under_way_and_begins_nothing() -> None:
    stop = asyncio.Event()
    begun: list[int] = []

    async def work(item: int) -> int:
        begun.append(item)
        if item == 20:
            stop.set()
        await asyncio.sleep(0.01)
        return item

    results: list[int] = []
    with pytest.raises(InterruptError):
        async for _, result in as_finished(range(1000), work, at_once=8, stop=stop):
            results.append(result)
    assert sorted(results) == begun == list(range(len(begun)))
    assert len(begun) <= 28


async def test_a_stop_after_the_last_item_is_no_interruption() -> None:
    stop = asyncio.Event()

    async def work(item: int) -> int:
        await asyncio.sleep(0.01)
        return item

    results = []
    async for _, result in as_finished(range(3), work, at_once=10, stop=stop):
        results.append(result)
        stop.set()
    assert sorted(results) == [0, 1, 2]


@pytest.mark.parametrize("quick", [True, False])
async def test_a_failure_ends_it_when_what_is_in_flight_has_finished(quick: bool) -> None:
    begun: list[int] = []
    finished: list[int] = []

    async def work(item: int) -> int:
        begun.append(item)
        if item == 5:
            if not quick:
                await asyncio.sleep(0.01)
            raise ValueError("no quota")
        await asyncio.sleep(0.05)
        finished.append(item)
        return item

    with pytest.raises(ValueError, match="no quota"):
        async for _ in as_finished(range(1000), work, at_once=8, stop=asyncio.Event()):
            pass
    assert sorted([*finished, 5]) == begun
    # The slow head does not hide it: nothing is begun after it.
    assert len(begun) <= 8


async def test_a_source_that_fails_ends_it_when_what_is_in_flight_has_finished() -> None:
    finished: list[int] = []

    def source() -> Iterator[int]:
        yield from range(3)
        raise OSError("file gone")

    async def work(item: int) -> int:
        await asyncio.sleep(0.01)
        finished.append(item)
        return item

    with pytest.raises(OSError, match="file gone"):
        async for _ in as_finished(source(), work, at_once=8, stop=asyncio.Event()):
            pass
    assert finished == [0, 1, 2]


async def test_a_cancelled_run_stops_at_once() -> None:
    async def work(item: int) -> int:
        await asyncio.sleep(60)
        return item

    async def consume() -> None:
        async with aclosing(as_finished(range(100), work, at_once=8, stop=asyncio.Event())) as results:
            async for _ in results:
                pass

    task = asyncio.create_task(consume())
    await asyncio.sleep(0.05)
    start = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - start < 5
    assert not [each for each in asyncio.all_tasks() if "one" in repr(each.get_coro())]


@pytest.mark.parametrize("at_once", [1, 128, 1024])
async def test_ten_thousand_quick_items_take_seconds(at_once: int) -> None:
    async def work(item: int) -> int:
        await asyncio.sleep(0)
        return item

    start = time.perf_counter()
    results = [each async for each in as_finished(range(10_000), work, at_once=at_once, stop=asyncio.Event())]
    assert sorted(results) == [(item, item) for item in range(10_000)]
    assert time.perf_counter() - start < 10


async def test_what_finishes_after_a_failure_is_still_given() -> None:
    async def work(item: int) -> int:
        await asyncio.sleep(0.01 * item)
        if item == 1:
            raise ValueError("no quota")
        return item

    given: list[int] = []
    with pytest.raises(ValueError, match="no quota"):
        async for place, _ in as_finished(range(100), work, at_once=5, stop=asyncio.Event()):
            given.append(place)
    assert {0, 2, 3, 4} <= set(given) <= {0, 2, 3, 4, 5}
