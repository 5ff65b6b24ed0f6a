"""Requests to an Argilla server that outlast its bad moments, and that say in one line what is wrong for good."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from prbgen.errors import PrbgenError
from prbgen.llm.admission import hints_of

PASSING = frozenset({429, 500, 502, 503, 504})
ATTEMPTS = "attempts"  # a request's extension: how often this one may be tried
GOES_ON = "what is there stays, and the same command goes on"
_TOLD = 300  # characters of what the server says
_WORDS = {1: "once", 2: "twice", 3: "three times", 4: "four times", 5: "five times"}


@dataclass(frozen=True)
class Patience:
    """How often a request is tried, and how long is waited in between (seconds)."""

    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 60.0
    sleep: Callable[[float], None] = time.sleep


class RefusedError(PrbgenError):
    """The server understood the request and won't have it. `status` is the HTTP status of its answer."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class _PassingError(Exception):
    """What may be over in a moment. `wait` is how long the server asks to wait (seconds)."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.wait = wait


class PatientTransport(httpx.BaseTransport):
    """Sends requests again where that may help; any answer that it returns is a success.

    All of ours may be sent again: what creates something is answered 409 the second time, and changes nothing.
    `shown` is the server's address as errors show it, `secrets` what they never show.
    """

    def __init__(self, inner: httpx.BaseTransport, shown: str, secrets: Sequence[str], patience: Patience) -> None:
        self._inner = inner
        self._shown = shown
        self._secrets = secrets
        self._patience = patience
        self._back_off = wait_exponential(patience.first_wait) + wait_random(0, patience.first_wait)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Source: httpx.BaseTransport.

        Raises:
            RefusedError: the server won't have it.
            PrbgenError: it was tried often enough.
        """
        request.read()
        attempts = request.extensions.get(ATTEMPTS, self._patience.attempts)
        retrying = Retrying(
            retry=retry_if_exception_type(_PassingError),
            wait=self._wait,
            stop=stop_after_attempt(attempts),
            sleep=self._patience.sleep,
            reraise=True,
        )
        try:
            return retrying(self._once, request)
        except _PassingError as error:
            often = _WORDS.get(attempts, f"{attempts} times")
            what = f"{request.method} {request.url.path}"
            raise PrbgenError(f"{self._shown}: {error} {often} to {what}; {GOES_ON}") from None

    def close(self) -> None:
        """Source: httpx.BaseTransport."""
        self._inner.close()

    def _once(self, request: httpx.Request) -> httpx.Response:
        try:
            response = self._inner.handle_request(request)
            try:
                # Here, so that an answer that breaks off is asked for again too.
                body = b"".join(response.stream)  # type: ignore[arg-type]
            finally:
                response.close()
        except httpx.TimeoutException:
            raise _PassingError("did not answer in time") from None
        except httpx.TransportError as error:
            raise _PassingError(f"could not be reached ({self._hide(str(error)) or type(error).__name__})") from None
        whole = httpx.Response(response.status_code, headers=response.headers, stream=httpx.ByteStream(body))
        if whole.is_success:
            return whole
        whole.read()
        if whole.status_code in PASSING:
            raise _PassingError(f"answered {whole.status_code}", _asked_to_wait(whole))
        raise RefusedError(self._why(request, whole), whole.status_code)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.wait if isinstance(error, _PassingError) else None
        return min(self._back_off(state) if asked is None else asked, self._patience.longest_wait)

    def _why(self, request: httpx.Request, response: httpx.Response) -> str:
        status = response.status_code
        what = f"{request.method} {request.url.path}"
        if status == httpx.codes.UNAUTHORIZED:
            return f"the key is not accepted by {self._shown}: ARGILLA_API_KEY"
        if status == httpx.codes.FORBIDDEN:
            return f"{self._shown}: this key has no right to {what}; an owner of the server has"
        if response.is_redirect:
            moved = httpx.URL(response.headers.get("location", "")).copy_with(userinfo=b"", query=None, fragment=None)
            return f"{self._shown}: has moved to {moved}; use that address"
        return f"{self._shown}: answered {status} to {what}: {self._hide(_detail(response))[:_TOLD]}"

    def _hide(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        return text


def _asked_to_wait(response: httpx.Response) -> float | None:
    """Seconds, from Retry-After: a number of them or a date."""
    return hints_of(response.headers, time.time()).retry_after


def _detail(response: httpx.Response) -> str:
    """What the server says about it, in one line."""
    try:
        detail = response.json()["detail"]
    except (ValueError, KeyError, TypeError):
        detail = response.text
    text = detail if isinstance(detail, str) else json.dumps(detail, ensure_ascii=False)
    return " ".join(text.split()) or "no reason given"
