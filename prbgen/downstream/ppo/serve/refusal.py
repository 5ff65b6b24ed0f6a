"""Why a request gets no scores, and the status that says so."""

from __future__ import annotations

from typing import Literal

Reason = Literal[
    "unauthorised",
    "forbidden",
    "too_large",
    "bad_request",
    "queue_full",
    "too_long",
    "not_finite",
    "model_failed",
    "loading",
    "gone",
    "client_gone",
]

_STATUS: dict[Reason, int] = {
    "unauthorised": 401,
    "forbidden": 403,
    "too_large": 413,
    "bad_request": 422,
    "queue_full": 429,
    "too_long": 413,
    "not_finite": 500,
    "model_failed": 500,
    "loading": 503,
    "gone": 503,
    # Nobody reads it. Web servers log this number for a client that closed its connection.
    "client_gone": 499,
}


class NoScoresError(Exception):
    """The request gets no scores. The text is one line that may be shown; it never holds anything that was sent.

    `retry_after`, in seconds, is when to ask again.
    """

    def __init__(self, reason: Reason, words: str, retry_after: int | None = None) -> None:
        super().__init__(words)
        self.reason = reason
        self.retry_after = retry_after

    @property
    def status(self) -> int:
        """The HTTP status."""
        return _STATUS[self.reason]
