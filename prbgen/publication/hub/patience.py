"""Calls of the Hub that are tried again, because it is busy or out of order for a moment.

The client does so by itself for uploads and lists; this is for all other calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from prbgen.publication.hub.faults import is_passing, wait_asked_for

T = TypeVar("T")

MOST_ATTEMPTS = 5
MOST_SECONDS = 300.0


def patiently(call: Callable[[], T]) -> T:
    """Call, and again after a passing fault: as soon as the Hub allows it, else after 1, 2, 4 and 8 seconds or so.

    A wait of more than `MOST_SECONDS` is not begun.
    """
    from tenacity import RetryCallState, Retrying, retry_if_exception, wait_exponential_jitter

    back_off = wait_exponential_jitter(initial=1, max=30, jitter=1)

    def asked(state: RetryCallState) -> float | None:
        error = state.outcome.exception() if state.outcome else None
        return wait_asked_for(error) if error else None

    def wait(state: RetryCallState) -> float:
        seconds = asked(state)
        return back_off(state) if seconds is None else seconds

    def enough(state: RetryCallState) -> bool:
        return state.attempt_number >= MOST_ATTEMPTS or (asked(state) or 0) > MOST_SECONDS

    return Retrying(retry=retry_if_exception(is_passing), wait=wait, stop=enough, reraise=True)(call)
