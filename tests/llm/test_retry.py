from typing import get_args

import pytest

from prbgen.errors import PrbgenError
from prbgen.llm.model import FATAL, RETRYABLE, CallError, FaultKind
from prbgen.llm.retry import MOST_ATTEMPTS, MOST_REFUSALS, MOST_SECONDS, retrying


class Server:
    """Fails in the given ways, one after the other, then answers; notes how long it was waited for."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)
        self.calls = 0
        self.waits: list[float] = []

    async def call(self) -> str:
        self.calls += 1
        if self._errors:
            raise self._errors.pop(0)
        return "answer"

    async def ask(self) -> str:
        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        answer: str = await retrying().copy(sleep=sleep)(self.call)
        return answer


@pytest.mark.parametrize("kind", get_args(FaultKind))
async def test_what_may_pass_is_tried_again_and_nothing_else(kind: FaultKind) -> None:
    server = Server(CallError(kind, "x"))
    if kind in RETRYABLE:
        assert await server.ask() == "answer"
        assert server.calls == 2
    else:
        with pytest.raises(CallError):
            await server.ask()
        assert server.calls == 1


def test_no_kind_is_both() -> None:
    assert not RETRYABLE & FATAL


@pytest.mark.parametrize("error", [PrbgenError("x"), ValueError("x")])
async def test_other_errors_are_never_tried_again(error: Exception) -> None:
    server = Server(error)
    with pytest.raises(type(error)):
        await server.ask()
    assert server.calls == 1


async def test_it_gives_up_after_the_last_attempt_with_the_last_error() -> None:
    server = Server(*(CallError("server", f"error {number}") for number in range(100)))
    with pytest.raises(CallError, match=f"error {MOST_ATTEMPTS - 1}$"):
        await server.ask()
    assert server.calls == MOST_ATTEMPTS
    # Each wait is longer than the one before, by one second of jitter at most.
    assert all(2**n <= wait <= 2**n + 1 for n, wait in enumerate(server.waits))
    assert len(server.waits) == MOST_ATTEMPTS - 1


async def test_it_waits_as_long_as_the_server_asks_for() -> None:
    server = Server(CallError("server", "x", retry_after=17.5), CallError("server", "x"))
    await server.ask()
    assert server.waits[0] == 17.5
    assert server.waits[1] >= 2


async def test_a_server_that_asks_for_too_long_is_not_waited_for() -> None:
    server = Server(CallError("server", "x", retry_after=MOST_SECONDS + 1))
    with pytest.raises(CallError):
        await server.ask()
    assert server.waits == []


@pytest.mark.parametrize("kind", ["rate_limit", "overload"])
async def test_a_refusal_is_waited_out_at_the_gate_and_more_of_them_are_put_up_with(kind: FaultKind) -> None:
    server = Server(*(CallError(kind, "x", retry_after=3600) for _ in range(MOST_REFUSALS - 1)))
    assert await server.ask() == "answer"
    assert set(server.waits) == {0}
    hopeless = Server(*(CallError(kind, "x") for _ in range(100)))
    with pytest.raises(CallError):
        await hopeless.ask()
    assert hopeless.calls == MOST_REFUSALS


async def test_refusals_and_faults_are_counted_apart() -> None:
    faults = [CallError("server", "x")] * (MOST_ATTEMPTS - 1)
    refusals = [CallError("rate_limit", "x")] * (MOST_REFUSALS - 1)
    assert await Server(*faults, *refusals).ask() == "answer"
