"""A server that answers JSON to JSON: asked at the pace that it takes, and again where that may help."""

from __future__ import annotations

import asyncio
import json
import os
import time
from contextlib import suppress

import httpx
from pydantic import ValidationError
from tenacity import AsyncRetrying

from prbgen.errors import InputError, InterruptError, ModelError, PrbgenError
from prbgen.evaluation.address import REWARD_KEY, shown
from prbgen.evaluation.scorers.scorer import UnscoredError
from prbgen.llm.admission import Gate, Limits, Stopped, hints_of
from prbgen.llm.cleaning import cleaned_line
from prbgen.llm.model import CallError, kind_by_status
from prbgen.llm.retry import retrying
from prbgen.llm.secrets import load_env_file
from prbgen.recipe import LimitSettings

# So often one call knocks at a server that has never answered before nobody is taken to be there.
_KNOCKS = 3
# Bytes. A reward model answers with a few numbers, one for each token at most; an embedding model may send gigabytes.
_LARGEST = 4 * 2**20


class RefusedError(Exception):
    """The server will never answer this request. `words` are its own; `param` is what they are about, if it says so."""

    def __init__(self, status: int, words: str, param: str | None = None) -> None:
        super().__init__(f"the server refused it ({status}): {words}")
        self.status = status
        self.words = words
        self.param = param


def url_of(address: str) -> httpx.URL:
    """An address as it can be asked.

    Raises:
        InputError: it cannot.
    """
    try:
        return httpx.URL(address)
    except httpx.InvalidURL as error:
        raise InputError(f"{shown(address)}: no address that can be asked ({error})") from None


def misshapen(error: ValidationError) -> str:
    """What is wrong with a reply, in one line that may be shown; never what stands in it."""
    fault = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, fault["loc"]))
    return cleaned_line(f"{where}: {fault['msg']}" if where else fault["msg"])


def connection(limits: LimitSettings) -> httpx.AsyncClient:
    """Connections to a server, with the key of the environment.

    Raises:
        InputError: the key is not one.
    """
    load_env_file()
    key = os.environ.get(REWARD_KEY, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise InputError(f"{REWARD_KEY}: holds characters that no key has")
    pool = httpx.Limits(max_connections=limits.concurrency, max_keepalive_connections=limits.concurrency)
    # `Client` has the time-out: one for the whole request, however it drips.
    return httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=None, limits=pool)  # noqa: S113


class Client:
    """Asks for as long as `stop` is not set. It sets it itself when going on would only fail again."""

    def __init__(self, name: str, http: httpx.AsyncClient, limits: LimitSettings, stop: asyncio.Event) -> None:
        self._name = name
        self._http = http
        self._limits = limits
        self._stop = stop
        self._gate = Gate(Limits(limits.concurrency, limits.rpm, limits.tpm), stop=stop)
        self._fault: PrbgenError | None = None
        self._answered = False

    async def post(self, url: httpx.URL, body: object, item: str) -> bytes:
        """What the server answers; `item` tells requests apart.

        Raises:
            RefusedError: it won't, with a status that concerns this request or this path.
            UnscoredError: no answer came.
            InterruptError: `stop` is set.
            PrbgenError: the server cannot be used at all.
        """
        retries = retrying(sleep=self._pause)
        try:
            content: bytes = await retries(self._attempt, url, json.dumps(body).encode(), item, retries)
        except CallError as error:
            raise UnscoredError(f"no reply ({error.kind.replace('_', ' ')}): {cleaned_line(error)}") from None
        return content

    def ended(self, why: str) -> PrbgenError:
        """Remember why nothing may be asked any more; the first reason is the one that is told."""
        self._fault = self._fault or ModelError(f"{self._name} cannot be used: {why}")
        self._stop.set()
        return self._fault

    async def _attempt(self, url: httpx.URL, content: bytes, item: str, retries: AsyncRetrying) -> bytes:
        tries = int(retries.statistics.get("attempt_number", 1))
        try:
            async with self._gate.slot(item, again=tries > 1) as slot:
                try:
                    response, body = await self._send(url, content)
                except CallError as error:
                    nobody = error.kind == "connection" and not self._answered
                    if nobody and tries >= _KNOCKS:
                        raise self.ended(
                            f"nobody answers at {url} (is the server up?): {cleaned_line(error)}"
                        ) from None
                    if not nobody:
                        slot.failed(error.kind)
                    raise
                self._answered = True
                hints = hints_of(response.headers, time.time())
                if response.status_code == httpx.codes.OK:
                    slot.succeeded(hints=hints)
                    return body
                fault = self._error(response, body, hints.retry_after)
                kind = fault.kind if isinstance(fault, CallError) else "bad_request"
                slot.failed(kind, retry_after=hints.retry_after)
                raise fault
        except Stopped:
            raise self._fault or InterruptError("interrupted") from None

    async def _send(self, url: httpx.URL, content: bytes) -> tuple[httpx.Response, bytes]:
        headers = {"Content-Type": "application/json"}
        try:
            async with (
                asyncio.timeout(self._limits.timeout),
                self._http.stream("POST", url, content=content, headers=headers) as response,
            ):
                body = await body_of(response)
        except (TimeoutError, httpx.TimeoutException):
            raise CallError("timeout", f"nothing within {self._limits.timeout:g} s") from None
        except httpx.HTTPError as error:
            raise CallError("connection", str(error) or type(error).__name__) from None
        if body is None:
            raise self.ended(f"a reply is beyond {_LARGEST // 2**20} MiB; is it a reward model?")
        return response, body

    def _error(self, response: httpx.Response, body: bytes, retry_after: float | None) -> Exception:
        status, (words, param) = response.status_code, _words(body)
        if status in (401, 403):
            held = "the key is not accepted" if "Authorization" in self._http.headers else "it wants a key"
            return self.ended(f"{held} ({status}: {words}); the key goes into {REWARD_KEY}")
        if response.is_redirect or status == httpx.codes.PAYMENT_REQUIRED:
            moved = f"it has moved to {response.headers.get('location')}" if response.is_redirect else words
            return self.ended(f"{status}: {cleaned_line(moved)}")
        kind = kind_by_status(status)
        if response.is_success:  # 204, say, which no other try makes a score
            return RefusedError(status, words or "no score", param)
        if kind in ("bad_request", "unknown_model") or status == httpx.codes.NOT_IMPLEMENTED:
            return RefusedError(status, words, param)
        return CallError(kind, f"{status}: {words}", retry_after)

    async def _pause(self, seconds: float) -> None:
        """Wait before another attempt, but no longer than until the stop."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)


async def body_of(response: httpx.Response) -> bytes | None:
    """What a server sends; null if it is larger than any reply may be, and then the rest of it is not read."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _LARGEST:
            return None
    return bytes(body)


def _words(body: bytes) -> tuple[str, str | None]:
    """What the server says of an error, in one line that may be shown, and the parameter that it names."""
    text = body.decode(errors="replace")
    param = None
    with suppress(ValueError, RecursionError):
        said = json.loads(text)
        if isinstance(said, dict):
            said = said.get("error", said)
        if isinstance(said, dict):
            param = said.get("param") if isinstance(said.get("param"), str) else None
            said = next((said[name] for name in ("message", "detail") if said.get(name)), said)
        text = said if isinstance(said, str) else json.dumps(said)
    return cleaned_line(text) or "no reason given", param
