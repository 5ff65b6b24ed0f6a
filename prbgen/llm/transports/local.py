"""The embedded model: `local/NAME` or `local/PATH.gguf`, served on this machine by llama.cpp."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import IO, TYPE_CHECKING, Any, cast

from prbgen.errors import InputError, MissingExtraError, PrbgenError
from prbgen.llm.model import Call, Completion, Transport
from prbgen.llm.transports.bounded import bounded, numbered
from prbgen.llm.transports.weights import is_gguf, weights
from prbgen.model_settings import ModelSettings

if TYPE_CHECKING:
    from rich.console import Console

SLOTS = 4
CONTEXT = 4096  # tokens of prompt and reply together, for each slot
MAX_TOKENS = 1024
SMALL = 10**9  # bytes; a model below that copies and loops unless held back

_PREFIX = "local/"


class LocalServer:
    """An OpenAI-compatible server on a free loopback port: started on first use, gone with this process.

    `name` is that of the model ("local/..."), `slots` the number of calls that are answered at once.
    """

    def __init__(self, name: str, slots: int, context: int, console: Console | None = None) -> None:
        self.small = False
        self._name = name
        self._slots = slots
        self._context = context
        self._console = console
        self._url = ""
        self._process: subprocess.Popen[str] | None = None
        self._starting = asyncio.Lock()
        self._fault: PrbgenError | None = None

    async def base_url(self) -> str:
        """The address to which "/chat/completions" is added. A server that died is started again.

        Raises:
            MissingExtraError: xllamacpp is not installed.
            InputError: there is no such model, or the file is none that llama.cpp can load.
            PrbgenError: the weights could not be fetched, or the server did not start.
        """
        async with self._starting:
            if self._fault:
                raise self._fault
            if self._process is None or self._process.poll() is not None:
                await self._start()
            return self._url

    def stop(self) -> None:
        """End the server at once, also in the middle of replies."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.communicate()

    async def _start(self) -> None:
        stop = Event()
        try:
            await asyncio.to_thread(self._start_and_wait, stop)
        except PrbgenError as fault:
            self._fault = fault
            raise
        except asyncio.CancelledError:
            stop.set()
            self.stop()
            raise

    def _start_and_wait(self, stop: Event) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtraError("The embedded model", "local")
        path = model_file(self._name, self._console, stop)
        self.small = path.stat().st_size < SMALL
        script = Path(__file__).with_name("llama_server.py")
        numbers = (self._context, self._slots, _cores())
        with tempfile.TemporaryFile("w+", errors="replace") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(script), str(path), *map(str, numbers)],
                stdin=subprocess.PIPE,  # held open: the server ends when this process is gone
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                # Threads that spin while they wait for each other crawl as soon as anything else wants a core.
                env={"OMP_WAIT_POLICY": "passive", **os.environ},
            )
            address = cast("IO[str]", self._process.stdout).readline().strip()
            if not address:
                self.stop()
                log.seek(0)
                raise InputError(f"{self._name}: llama.cpp cannot serve {path}: {_reason(log.read())}")
        self._url = f"{address}/v1"


class LocalTransport:
    """Sends calls to the embedded model: starts its server on the first one, then goes through `inner`.

    Of the model's settings, `concurrency` is the number of slots (4) and `context` the tokens that each has for prompt
    and reply (4,096); the rest is passed on.

    A call's seed is its sample number unless the settings give one. The same calls one after another give the same
    texts; calls at once share their arithmetic, so that a text may come out otherwise beside other calls.
    """

    def __init__(self, model: ModelSettings, inner: Transport, console: Console | None = None) -> None:
        context = model.params.get("context", CONTEXT)
        if type(context) is not int or context < 1:
            raise InputError(f"{model.name}: context is a number of tokens, not {context!r}")
        slots = model.concurrency or SLOTS
        self._server = LocalServer(model.name, slots, context, console)
        self._inner = inner
        # Time-outs start when a call is sent, so none is sent that would only queue.
        self._free = asyncio.Semaphore(slots)

    async def complete(self, call: Call) -> Completion:
        """Send one call, as soon as a slot is free. It costs nothing.

        Raises:
            CallError: no reply came (a prompt longer than the context is "too_long").
            PrbgenError: the model cannot be used here; see LocalServer.base_url.
        """
        async with self._free:
            url = await self._server.base_url()
            completion = await self._inner.complete(_addressed(call, url, self._server.small))
        return replace(completion, cost_usd=0.0)

    async def close(self) -> None:
        """Close `inner` and stop the server."""
        try:
            await self._inner.close()
        finally:
            self._server.stop()


def model_file(name: str, console: Console | None = None, stop: Event | None = None) -> Path:
    """The GGUF of "local/NAME" or "local/PATH.gguf"; see weights() for a NAME.

    Raises:
        InputError: no model has this name, or the file is missing or no GGUF.
        PrbgenError: the weights could not be fetched.
    """
    rest = name.removeprefix(_PREFIX)
    if not rest.endswith(".gguf"):
        return weights(rest, console, stop)
    path = Path(rest).expanduser()
    try:
        if is_gguf(path):
            return path.absolute()
    except OSError as error:
        raise InputError(f"{name}: {path}: {error.strerror or error}") from None
    raise InputError(f"{name}: {path} is no GGUF file (its first four bytes are not GGUF)")


def _addressed(call: Call, url: str, small: bool) -> Call:
    """The call as an OpenAI-compatible client sends it to the server at `url`."""
    params: dict[str, Any] = {"seed": call.sample, **call.model.params}
    params.pop("context", None)
    if "max_completion_tokens" not in params:
        params.setdefault("max_tokens", MAX_TOKENS)
    schema = call.schema
    if small:
        params["extra_body"] = {"repeat_penalty": 1.2, **(params.get("extra_body") or {})}
        schema = bounded(numbered(schema, call.assumed)) if schema is not None else None
    params |= {"name": "openai/local", "api_base": url, "api_key": "none", "timeout": call.model.timeout}
    # Constructed without validation, which refuses keys: this one is a key in form only.
    return replace(call, model=ModelSettings.model_construct(**params), schema=schema)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _reason(log: str) -> str:
    """What llama.cpp complained about, out of its log."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for line in lines:
        _, found, reason = line.partition("error loading model: ")
        if found:
            return reason
    return lines[-1] if lines else "it ended without a word"
