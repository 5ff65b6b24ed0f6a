"""Workers, one by one: who is asked, what is raised, and what becomes of those that are lost."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import ray

from prbgen.cluster.cluster import Cluster, joined
from prbgen.cluster.place import LostWorkerError
from prbgen.cluster.workers import Workers
from prbgen.errors import InputError, InterruptError, MissingExtraError
from prbgen.llm.traffic import Traffic

# A stop that is never set.
GO = asyncio.Event()


class Clerk:
    """A worker that knows what it was prepared with."""

    async def prepare(self, word: str) -> None:
        if word == "refuse":
            raise MissingExtraError("A clerk", "desk")
        if word == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        self.word = word

    async def say(self) -> tuple[str, int]:
        return self.word, os.getpid()

    async def wait(self, seconds: float) -> int:
        await asyncio.sleep(seconds)
        return os.getpid()

    async def fail(self) -> None:
        raise InputError("the form is wrong")


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[Cluster]:
    with joined("local") as cluster:
        yield cluster


async def test_a_worker_is_prepared_first_and_what_it_raises_comes_out_as_it_was() -> None:
    workers = Workers(Clerk, ("tea",), count=1, at_once=4)
    try:
        word, pid = await workers.call(GO, "say")
        assert (word, pid != os.getpid()) == ("tea", True)
        with pytest.raises(InputError, match=r"^the form is wrong$"):
            await workers.call(GO, "fail")
    finally:
        await workers.close()


async def test_a_lost_worker_fails_its_calls_and_is_prepared_anew_before_the_next() -> None:
    workers = Workers(Clerk, ("tea",), count=1, at_once=4)
    try:
        _, first = await workers.call(GO, "say")
        waiting = [asyncio.create_task(workers.call(GO, "wait", 60.0)) for _ in range(2)]
        await asyncio.sleep(0.5)
        os.kill(first, signal.SIGKILL)
        for call in waiting:
            with pytest.raises(LostWorkerError):
                await call
        word, second = await workers.call(GO, "say")
        assert (word, second != first) == ("tea", True)
        # Now it is idle: nobody notices before the next call.
        os.kill(second, signal.SIGKILL)
        deadline = asyncio.get_running_loop().time() + 60
        third = second
        while third == second and asyncio.get_running_loop().time() < deadline:
            with suppress(LostWorkerError):
                word, third = await workers.call(GO, "say")
            await asyncio.sleep(0.1)
        assert (word, third != second) == ("tea", True)
    finally:
        await workers.close()


def test_a_driver_of_one_cluster_is_none_of_another() -> None:
    own = ray.get_runtime_context().gcs_address
    with joined(own) as same:
        assert same.address == own
    with pytest.raises(InputError, match=r"^--ray 127\.0\.0\.1:1: this process is a driver of the cluster at \S+;"):
        joined("127.0.0.1:1").__enter__()


async def test_a_worker_gets_no_more_than_it_does_at_once() -> None:
    workers = Workers(Clerk, ("tea",), count=1, at_once=2)
    try:
        await workers.call(GO, "say")
        clock = asyncio.get_running_loop().time
        begun = clock()
        await asyncio.gather(*(workers.call(GO, "wait", 0.3) for _ in range(6)))
        assert clock() - begun > 0.85
    finally:
        await workers.close()


async def test_what_cannot_be_prepared_or_started_is_told_to_all_who_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = Workers(Clerk, ("refuse",), count=1, at_once=1)
    try:
        calls = (workers.call(GO, "say") for _ in range(3))
        assert {type(each) for each in await asyncio.gather(*calls, return_exceptions=True)} == {MissingExtraError}
    finally:
        await workers.close()
    # As where a node has no prbgen, or an older one that lacks this kind.
    (tmp_path / "only_here.py").write_text("class Kind:\n    async def prepare(self) -> None: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    workers = Workers(importlib.import_module("only_here").Kind, (), count=1, at_once=1)
    try:
        with pytest.raises(InputError, match="no worker can be started"):
            await asyncio.wait_for(workers.call(GO, "say"), 60)
    finally:
        await workers.close()


async def test_a_worker_that_dies_of_its_preparation_is_not_made_for_ever() -> None:
    workers = Workers(Clerk, ("die",), count=1, at_once=1)
    try:
        with pytest.raises(InputError, match=r"^a worker was lost 4 times while it got ready .*; Ray says: \S"):
            await asyncio.wait_for(workers.call(GO, "say"), 120)
    finally:
        await workers.close()


async def test_a_worker_without_room_says_so_and_waiting_for_it_ends_at_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prbgen.cluster.workers._LONG", 0.5)
    traffic, stop = Traffic(), asyncio.Event()
    workers = Workers(Clerk, ("tea",), count=1, at_once=1, cpus=1000, show=traffic.show_workers)
    try:
        assert traffic.workers() == "0 of 1 worker"
        calls = [asyncio.create_task(workers.call(stop, "say")) for _ in range(3)]
        await asyncio.sleep(1)
        assert traffic.workers() == "no worker for 1 s now (has the cluster a free CPU or GPU?)"
        stop.set()
        for call in calls:
            with pytest.raises(InterruptError):
                await asyncio.wait_for(call, 5)
    finally:
        await workers.close()
    assert not traffic.workers()


async def test_who_waits_for_a_busy_worker_is_let_go_at_a_stop() -> None:
    workers, stop = Workers(Clerk, ("tea",), count=1, at_once=1), asyncio.Event()
    try:
        await workers.call(GO, "say")
        begun = asyncio.create_task(workers.call(stop, "wait", 1.0))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(workers.call(stop, "wait", 60.0))
        await asyncio.sleep(0.1)
        stop.set()
        with pytest.raises(InterruptError):
            await asyncio.wait_for(waiting, 0.5)
        assert await begun
    finally:
        await workers.close()
