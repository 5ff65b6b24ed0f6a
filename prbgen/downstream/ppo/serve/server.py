"""A reward server from start to end: it listens, loads the model, answers, and stops in good order."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prbgen.downstream.ppo.serve.access import key_for
from prbgen.downstream.ppo.serve.app import reward_app
from prbgen.downstream.ppo.serve.desk import Bounds, Desk
from prbgen.downstream.ppo.serve.metrics import Metrics
from prbgen.errors import InputError
from prbgen.evaluation.address import REWARD_KEY
from prbgen.evaluation.scorers import open_scorer
from prbgen.evaluation.scorers.scorer import Scorer
from prbgen.evaluation.settings import ScorerSettings
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.local_address import Address, free_address

# Seconds. Between two steps of a training its connections are idle.
_KEEP_ALIVE = 300
# Seconds to tell those who wait that there will be no scores.
_PARTING = 5
# Seconds for connections when nothing is left to say.
_FORCED = 0.1


@dataclass(frozen=True)
class Serving:
    """What is served, and where. `ledger` is where an LLM's replies are kept."""

    scorer: ScorerSettings
    ledger: Path
    host: str = "127.0.0.1"
    port: int = 8000
    no_key: bool = False
    bounds: Bounds = field(default_factory=Bounds)

    def __post_init__(self) -> None:
        if self.scorer.kind == "judge":
            raise InputError(
                f"--scorer {self.scorer.name}: a judge compares two answers and gives none a score; an LLM that does is"
                " rate:MODEL"
            )


async def serve(
    serving: Serving,
    prompts: Prompts,
    *,
    stop: asyncio.Event,
    say: Callable[[str], None],
    ready: Callable[[str], None],
) -> None:
    """Serve until `stop` is set; requests that are there by then are still answered. `ready` gets one line.

    Raises:
        InputError: the address is not free, others could use it without a key, or the model cannot be used.
        PrbgenError: the model is gone. All that waited for it have been told.
    """
    address = free_address(serving.host, serving.port)
    key = key_for(serving.host, loopback=address.is_loopback, no_key=serving.no_key)
    metrics = Metrics()
    desk = Desk(serving.bounds, metrics)
    app = reward_app(desk, metrics, serving.scorer.name, key, loopback=address.is_loopback)
    # A scorer stops when it can no longer be used; when the user stops the server, what is in flight is still scored.
    unusable = asyncio.Event()
    async with AsyncExitStack() as stack:
        web = await stack.enter_async_context(listening(app, address))
        scorer = await open_scorer(
            serving.scorer, prompts, serving.ledger, stack, stop=unusable, traffic=Traffic(), say=say
        )
        if stop.is_set():
            return
        work = asyncio.create_task(desk.serve(scorer, unusable))
        stack.push_async_callback(_cancelled, work)
        ready(_told(address, serving.scorer, scorer, key))
        await _until(stop, work)
        await web(_PARTING if work.done() else None)
        if work.done():
            await work


@asynccontextmanager
async def listening(app: Any, address: Address) -> AsyncIterator[Callable[[float | None], Awaitable[None]]]:
    """Answer requests. What it gives takes no more of them, and waits for those in flight, for so many seconds."""
    import uvicorn

    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
    )
    server: Any = uvicorn.Server(config)
    server.capture_signals = nullcontext  # signals are dealt with by whoever sets `stop`
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.create_server((address.host, address.port), family=family, backlog=2048) as listener:
        answering = asyncio.create_task(server.serve(sockets=[listener]))

        async def ended(patience: float | None) -> None:
            config.timeout_graceful_shutdown = patience
            server.should_exit = True
            await answering

        try:
            yield ended
        finally:
            await ended(_FORCED)


async def _until(stop: asyncio.Event, work: asyncio.Task[Any]) -> None:
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait((stopped, work), return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _cancelled(stopped)


async def _cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _told(address: Address, settings: ScorerSettings, scorer: Scorer, key: str | None) -> str:
    body = json.dumps({"inputs": [{"prompt": "Is it warm?", "response": "Yes."}]})
    header = f' -H "Authorization: Bearer ${REWARD_KEY}"' if key else ""
    curl = f"curl {address.url}/score{header} -d '{body}'"
    return f"{settings.name} gives scores at {address.url}/score ({scorer.fingerprint[:8]}); try: {curl}"
