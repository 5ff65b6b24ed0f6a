"""LiteLLM's exceptions, told apart by what can be done about them."""

from __future__ import annotations

import email.utils
import re
import time
from typing import Any

from prbgen.llm.model import CallError, FaultKind
from prbgen.text import storable

_BY_STATUS: dict[int, FaultKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "unknown_model",
    408: "timeout",
    429: "rate_limit",
}
# What an error says is asked only where the status leaves it open: a refused request may echo any post.
_NO_KEY = re.compile(r"missing (\w+ )?(credentials|api key)|api_key client option must be set")
_NO_CONNECTION = ("connection error", "server disconnected", "cannot connect")


def as_call_error(exceptions: Any, error: Exception) -> CallError:
    """What went wrong, as the provider puts it, and how long it asked us to wait."""
    return CallError(_kind(exceptions, error), storable(str(error)).removeprefix("litellm."), _retry_after(error))


def _kind(exceptions: Any, error: Exception) -> FaultKind:
    if isinstance(error, exceptions.Timeout):
        return "timeout"
    status = getattr(error, "status_code", None)
    provider = getattr(error, "llm_provider", None)
    # The openai client keeps the provider's code in the body alone.
    text = f"{error} {getattr(error, 'body', None)}".lower()
    if status == 400 and not provider and "llm provider not provided" in text:
        return "unknown_model"
    if status == 400 and provider == "anthropic" and "credit balance is too low" in text:
        return "quota"
    if status == 429 and "insufficient_quota" in text:
        return "quota"
    if isinstance(status, int) and 400 <= status < 500:
        return _BY_STATUS.get(status, "bad_request")
    if _NO_KEY.search(text):
        return "auth"
    return "connection" if any(words in text for words in _NO_CONNECTION) else "server"


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
