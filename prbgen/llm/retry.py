"""Which failed calls are tried again, when, and how often: by tenacity, on kinds of faults."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential_jitter,
)

from prbgen.llm.model import RETRYABLE, CallError

MOST_ATTEMPTS = 6
MOST_SECONDS = 900.0
_BACK_OFF = wait_exponential_jitter(initial=1, max=60, jitter=1)


def retrying(sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> AsyncRetrying:
    """Attempts at one call: exponential with jitter, as long as the server asks for, capped in number and time.

    A wait that would end after `MOST_SECONDS` is not begun.
    """
    return AsyncRetrying(
        retry=retry_if_exception(lambda error: isinstance(error, CallError) and error.kind in RETRYABLE),
        wait=_wait,
        stop=stop_after_attempt(MOST_ATTEMPTS) | stop_before_delay(MOST_SECONDS),
        reraise=True,
        sleep=sleep,
    )


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, CallError) else None
    return _BACK_OFF(state) if asked is None else asked
