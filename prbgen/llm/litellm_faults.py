"""LiteLLM's exceptions, told apart by what can be done about them."""

from __future__ import annotations

import email.utils
import time
from typing import Any

from prbgen.llm.model import CallError, FaultKind

_BY_STATUS: dict[int, FaultKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "unknown_model",
    408: "timeout",
    429: "rate_limit",
}
# LiteLLM dresses these up as errors of the server, of the request or of the rate.
_BY_TEXT: dict[str, FaultKind] = {
    "insufficient_quota": "quota",
    "missing credentials": "auth",
    "api_key client option must be set": "auth",
    "llm provider not provided": "unknown_model",
    "connection error": "connection",
    "server disconnected": "connection",
    "cannot connect": "connection",
}


def as_call_error(exceptions: Any, error: Exception) -> CallError:
    """What went wrong, as the provider puts it, and how long it asked us to wait."""
    return CallError(_kind(exceptions, error), str(error).removeprefix("litellm."), _retry_after(error))


def _kind(exceptions: Any, error: Exception) -> FaultKind:
    if isinstance(error, exceptions.Timeout):
        return "timeout"
    # The openai client keeps the provider's code in the body alone.
    text = f"{error} {getattr(error, 'body', None)}".lower()
    for words, kind in _BY_TEXT.items():
        if words in text:
            return kind
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and 400 <= status < 500:
        return _BY_STATUS.get(status, "bad_request")
    return "server"


def _retry_after(error: Exception) -> float | None:
    """Seconds to wait by the Retry-After header, which holds seconds or a date (RFC 9110, 10.2.3)."""
    headers = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", None
    )
    value = headers.get("retry-after") if headers else None
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
