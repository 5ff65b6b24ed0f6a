"""Work in a loop of its own, wherever it is asked for, and what Ctrl-C does to it."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from prbgen.api.running import run_at_once, run_until_interrupted
from tests.processes import python, start_python


def directly(call: Callable[[], object]) -> object:
    return call()


def in_a_running_loop(call: Callable[[], object]) -> object:
    async def cell() -> object:
        return call()

    return asyncio.run(cell())


def in_another_thread(call: Callable[[], object]) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def in_another_thread_s_running_loop(call: Callable[[], object]) -> object:
    return in_another_thread(lambda: in_a_running_loop(call))


ANYWHERE = pytest.mark.parametrize(
    "somewhere", [directly, in_a_running_loop, in_another_thread, in_another_thread_s_running_loop]
)


def quiet(_text: str) -> None: ...


@ANYWHERE
def test_work_runs_to_its_end_wherever_it_is_called(somewhere: Callable[..., object]) -> None:
    async def work(stop: asyncio.Event) -> str:
        await asyncio.sleep(0)
        return f"stopped: {stop.is_set()}"

    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert somewhere(lambda: run_until_interrupted(work, quiet)) == "stopped: False"
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


@ANYWHERE
def test_what_the_work_raises_comes_out_as_it_is(somewhere: Callable[..., object]) -> None:
    async def work(_stop: asyncio.Event) -> None:
        raise LookupError("it")

    with pytest.raises(LookupError, match="it"):
        somewhere(lambda: run_until_interrupted(work, quiet))


def soon(number: signal.Signals, times: int = 1) -> None:
    """A signal for this process, once the work has begun."""

    def send() -> None:
        for _ in range(times):
            time.sleep(0.2)
            os.kill(os.getpid(), number)

    threading.Thread(target=send, daemon=True).start()


@pytest.mark.parametrize("somewhere", [directly, in_a_running_loop])
def test_the_first_ctrl_c_lets_the_work_end_in_good_order(somewhere: Callable[..., object]) -> None:
    said: list[str] = []

    async def work(stop: asyncio.Event) -> str:
        soon(signal.SIGINT)
        await asyncio.wait_for(stop.wait(), 20)
        return "in good order"

    assert somewhere(lambda: run_until_interrupted(work, said.append)) == "in good order"
    assert said == ["Stopping: waiting for the calls in flight (once more to stop at once)."]


@pytest.mark.parametrize("somewhere", [directly, in_a_running_loop])
def test_the_second_ctrl_c_ends_it_at_once(somewhere: Callable[..., object]) -> None:
    ended: list[str] = []

    async def work(_stop: asyncio.Event) -> None:
        soon(signal.SIGINT, times=2)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cleaned up")
            raise

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        somewhere(lambda: run_until_interrupted(work, quiet))
    assert ended == ["cleaned up"]
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("somewhere", [directly, in_a_running_loop])
def test_ctrl_c_ends_at_once_what_has_nothing_to_lose(somewhere: Callable[..., object]) -> None:
    async def work() -> None:
        soon(signal.SIGINT)
        await asyncio.sleep(60)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        somewhere(lambda: run_at_once(work))
    assert time.monotonic() - began < 30


STOPPED_BY_SIGTERM = """
import asyncio, os, signal, sys
from prbgen.api.running import run_until_interrupted
if sys.argv[1] == "as Ctrl-C":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
async def work(stop):
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(stop.wait(), 20)
run_until_interrupted(work, lambda text: None)
print("in good order")
"""


def test_sigterm_stops_in_good_order_where_it_means_ctrl_c_and_is_left_alone_elsewhere() -> None:
    assert python(STOPPED_BY_SIGTERM, "as Ctrl-C") == "in good order\n"
    other = start_python(STOPPED_BY_SIGTERM, "as ever")
    assert other.communicate(timeout=60)[0] == ""
    assert other.returncode == -signal.SIGTERM
