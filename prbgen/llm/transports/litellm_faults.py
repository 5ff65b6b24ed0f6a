"""LiteLLM's exceptions, told apart by what can be done about them."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from prbgen.llm.admission import hints_of
from prbgen.llm.model import CallError, FaultKind, kind_by_status
from prbgen.text import storable

# What an error says is asked only where the status leaves it open: a refused request may echo any post.
_NO_KEY = re.compile(r"missing (\w+ )?(credentials|api key)|api_key client option must be set")
# LiteLLM puts the names of its own exceptions before what the provider says, some of them twice.
_NAMES = re.compile(r"^(litellm\.|\w+(Error|Exception)( -|:) )+")
_NO_PROVIDER = "no provider is known for this name: write openai/NAME, anthropic/NAME, hosted_vllm/NAME or local/NAME"
_NO_CONNECTION = ("connection error", "server disconnected", "cannot connect")
# How LiteLLM puts it that the server said 200, but sent something else than a completion.
_NO_COMPLETION = re.compile(
    r"invalid response object|empty or invalid response|no 'choices'|'choices' that is not a list"
)


def as_call_error(exceptions: Any, error: Exception) -> CallError:
    """What went wrong, as the provider puts it, and how long it asked us to wait."""
    if _lacks_provider(error):
        return CallError("unknown_model", _NO_PROVIDER)
    # LiteLLM adds a traceback of its own to what it cannot read.
    said = _NAMES.sub("", storable(str(error))).partition(" Traceback (most recent call last)")[0]
    return CallError(_kind(exceptions, error), said, _retry_after(error))


def _lacks_provider(error: Exception) -> bool:
    told = "llm provider not provided" in str(error).lower()
    return told and getattr(error, "status_code", None) == 400 and not getattr(error, "llm_provider", None)


def _kind(exceptions: Any, error: Exception) -> FaultKind:
    if isinstance(error, exceptions.Timeout):
        return "timeout"
    if isinstance(error, exceptions.ContextWindowExceededError):
        return "too_long"
    status = getattr(error, "status_code", None)
    provider = getattr(error, "llm_provider", None)
    # The openai client keeps the provider's code in the body alone.
    text = f"{error} {getattr(error, 'body', None)}".lower()
    if status == 400 and provider == "anthropic" and "credit balance is too low" in text:
        return "quota"
    if status == 429 and "insufficient_quota" in text:
        return "quota"
    if status == 429 and "request too large" in text:
        return "bad_request"
    if isinstance(status, int) and (kind := kind_by_status(status)) != "server":
        return kind
    if _NO_KEY.search(text):
        return "auth"
    if _NO_COMPLETION.search(text) or _is_no_json(error):
        return "no_completion"
    return "connection" if any(words in text for words in _NO_CONNECTION) else "server"


def _is_no_json(error: BaseException | None) -> bool:
    """Whether a reply could not be read as JSON: the page of a proxy, say."""
    while error is not None and not isinstance(error, json.JSONDecodeError):
        error = error.__cause__ or error.__context__
    return error is not None


def _retry_after(error: Exception) -> float | None:
    """Seconds to wait, by the headers of the refusal."""
    headers = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", None
    )
    return hints_of(dict(headers), time.time()).retry_after if headers else None
