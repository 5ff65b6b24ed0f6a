"""Which failed calls are tried again, when, and how often: by tenacity, on kinds of faults.

When a model refuses calls for all, waiting is the matter of its gate; here it is about one call.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential_jitter
from tenacity.stop import stop_base

from prbgen.llm.model import RETRYABLE, CallError, FaultKind

MOST_ATTEMPTS = 6
MOST_REFUSALS = 20
MOST_SECONDS = 900.0
_BACK_OFF = wait_exponential_jitter(initial=1, max=60, jitter=1)
# The model's gate closes for all its calls, so the call itself need not wait again.
_LEFT_TO_THE_GATE: frozenset[FaultKind] = frozenset({"rate_limit", "overload"})


def retrying(sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> AsyncRetrying:
    """Attempts at one call: exponential with jitter, capped in number and in the time that it waits for itself.

    A refusal says nothing about the call, so more of them are put up with. A wait that would go beyond `MOST_SECONDS`
    is not begun.
    """
    return AsyncRetrying(
        retry=retry_if_exception(lambda error: isinstance(error, CallError) and error.kind in RETRYABLE),
        wait=_wait,
        stop=_Patience(),
        reraise=True,
        sleep=sleep,
    )


class _Patience(stop_base):
    """How much one call puts up with."""

    def __init__(self) -> None:
        self._faults: Counter[bool] = Counter()

    def __call__(self, state: RetryCallState) -> bool:
        self._faults[_kind(state) in _LEFT_TO_THE_GATE] += 1
        return (
            self._faults[False] >= MOST_ATTEMPTS
            or self._faults[True] >= MOST_REFUSALS
            or state.idle_for + state.upcoming_sleep > MOST_SECONDS
        )


def _wait(state: RetryCallState) -> float:
    if _kind(state) in _LEFT_TO_THE_GATE:
        return 0
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, CallError) else None
    return _BACK_OFF(state) if asked is None else asked


def _kind(state: RetryCallState) -> FaultKind | None:
    error = state.outcome.exception() if state.outcome else None
    return error.kind if isinstance(error, CallError) else None
