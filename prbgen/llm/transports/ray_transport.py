"""Calls from the workers of a cluster: a call takes 5-10 ms of CPU, most of it LiteLLM's, and the driver 4 of them.

Gates, budget, retries and the ledger stay in the driver. A worker that is lost with a call is a fault like any other.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from prbgen import __version__
from prbgen.cluster.models import anywhere
from prbgen.cluster.place import LostWorkerError, Place
from prbgen.cluster.workers import Workers
from prbgen.errors import InterruptError
from prbgen.llm.model import Call, CallError, Completion, Transport
from prbgen.llm.secrets import for_workers, hub_token, load_env_file, referred_to
from prbgen.llm.traffic import Traffic
from prbgen.llm.transports.ray_worker import ModelWorker
from prbgen.model_settings import ModelSettings
from prbgen.text import one_line

# Calls for which there is to be one worker, and what it takes where there is no room for more workers.
AT_ONCE = 64
MOST = 4 * AT_ONCE


class RayConnections:
    """As `Connections`, but through workers: one for every 64 calls that models may get at once.

    A file that is a model (local/PATH, scripted/PATH) has to lie at the same place on every node.
    """

    def __init__(self, traffic: Traffic) -> None:
        """`traffic` tells how many workers there are."""
        self._traffic = traffic
        self._wanted: dict[tuple[str, str | None], int] = {}
        self._workers: Workers | None = None

    async def ready(self, model: ModelSettings, at_once: int, stop: asyncio.Event) -> None:
        """Returns as soon as a worker is there for this model.

        Raises:
            InputError: a worker cannot do its work, as it has another version of prbgen, say.
            InterruptError: `stop` is set before.
        """
        server = (model.name, model.api_base)
        if server not in self._wanted:
            self._wanted[server] = at_once
            providers = not model.name.startswith("scripted/")
            self._grow(math.ceil(sum(self._wanted.values()) / AT_ONCE), providers=providers)
        assert self._workers  # noqa: S101
        await self._workers.wait(stop)

    @asynccontextmanager
    async def reach(self, _model: ModelSettings, stop: asyncio.Event) -> AsyncIterator[Transport]:
        """A worker that takes one call now; raises what `ready` does, which was there before."""
        assert self._workers  # noqa: S101
        async with self._workers.place(stop) as place:
            yield RayTransport(place, stop)

    async def close(self) -> None:
        """End the workers."""
        if self._workers:
            await self._workers.close()

    def _grow(self, count: int, *, providers: bool) -> None:
        if self._workers is None:
            load_env_file()
            # Keys go from memory to memory: what Ray keeps of a worker, and writes into its logs, has none of them.
            prepare = (__version__, for_workers(), providers)
            self._workers = Workers(ModelWorker, prepare, count=count, at_once=MOST, show=self._traffic.show_workers)
        else:
            self._workers.grow(count)


@dataclass(frozen=True)
class RayTransport:
    """Has a worker make one call."""

    place: Place
    stop: asyncio.Event

    async def complete(self, call: Call) -> Completion:
        """Have it made.

        Raises:
            CallError: no reply came; of the kind "worker", as the process that made the call is gone.
            PrbgenError: this model cannot be used at all.
        """
        name, variables = call.model.name, referred_to(call.model.params)
        if name.startswith("huggingface/"):
            variables |= hub_token()
        if call.model.on_this_machine:
            kind, _, rest = name.partition("/")
            call = replace(call, model=call.model.model_copy(update={"name": f"{kind}/{anywhere(rest)}"}))
        try:
            outcome = await self.place.ask(self.stop, "complete", call, variables)
        except LostWorkerError as error:
            raise CallError("worker", one_line(f"the worker was lost: {error}", 300)) from None
        except InterruptError:
            raise CallError("server", "stopped before a worker began") from None  # nobody bills that
        if isinstance(outcome, Exception):
            raise outcome
        completion: Completion = outcome
        return completion

    async def close(self) -> None:
        """Nothing is held here."""
