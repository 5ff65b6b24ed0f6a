"""What the SDKs raise and what stands in results, told apart by what can be done about it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from prbgen.llm.admission import hints_of
from prbgen.llm.model import CallError, FaultKind, kind_by_status
from prbgen.text import storable

_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "credit balance is too low", "billing_error")
# Raised before anything is sent.
_NO_KEY = ("could not resolve authentication", "api_key client option must be set", "missing credentials")


@contextmanager
def told_apart(sdk: Any) -> Iterator[None]:
    """Raise what `sdk` (the module openai or anthropic), or the connection under it, raises as CallError."""
    try:
        yield
    except sdk.APITimeoutError as error:
        raise CallError("timeout", storable(str(error))) from None
    except sdk.APIConnectionError as error:
        raise CallError("connection", storable(str(error.__cause__ or error))) from None
    except sdk.APIStatusError as error:
        kind = kind_of(error.status_code, f"{error} {error.body}")
        raise CallError(kind, storable(str(error)), hints_of(error.response.headers, time.time()).retry_after) from None
    except Exception as error:
        # A body that breaks off, or that is no JSON (a proxy's page), comes up from below the SDK.
        if type(error).__module__.partition(".")[0] in ("httpx2", "httpx") or isinstance(error, ValueError):
            raise CallError("connection", storable(str(error) or type(error).__name__)) from None
        if any(words in str(error).lower() for words in _NO_KEY):
            raise CallError("auth", "no key: set it in the environment or .env") from None
        raise


def kind_of(status: int | None, text: str) -> FaultKind:
    """The kind of fault that an HTTP status and what the provider said about it stand for."""
    if status in (400, 403, 429) and any(words in text.lower() for words in _QUOTA):
        return "quota"
    return kind_by_status(status or 0)
