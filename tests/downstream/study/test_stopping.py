"""What ends a step ends that step alone; what the user stops is stopped."""

from __future__ import annotations

import asyncio

from prbgen.downstream.study.stopping import own_stop


def test_a_stop_of_all_is_one_of_the_step_and_not_the_other_way_round() -> None:
    async def main() -> None:
        stop = asyncio.Event()
        async with own_stop(stop) as first:
            first.set()
        async with own_stop(stop) as second:
            assert not stop.is_set()
            assert not second.is_set()
            stop.set()
            await asyncio.wait_for(second.wait(), 5)
        async with own_stop(stop) as third:
            assert third.is_set()

    asyncio.run(main())
