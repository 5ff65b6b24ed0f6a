"""Which transport reaches which model: embedded, scripted, or any provider through LiteLLM."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from prbgen.llm.model import Transport
from prbgen.llm.transports.litellm_module import litellm
from prbgen.llm.transports.litellm_request import takes_n as litellm_takes_n
from prbgen.llm.transports.litellm_transport import LiteLLMTransport
from prbgen.llm.transports.local import LocalTransport
from prbgen.llm.transports.scripted import ScriptedTransport
from prbgen.model_settings import ModelSettings


def takes_n(model: ModelSettings) -> bool:
    """Whether one call to this model may ask for several replies. The embedded model is asked for one after the other:
    it computes no prompt twice, and each reply has a seed of its own.
    """
    kind = model.name.partition("/")[0]
    return kind == "scripted" or (kind != "local" and litellm_takes_n(litellm(), model))


class Connections:
    """The transports of one process, each made when it is first needed."""

    def __init__(self) -> None:
        self._providers = LiteLLMTransport()
        self._others: dict[str, Transport] = {}

    def to(self, model: ModelSettings) -> Transport:
        """The transport that reaches this model, ready to be used."""
        kind, _, rest = model.name.partition("/")
        if kind not in ("local", "scripted"):
            # Its import takes seconds, which are none of a request's time.
            litellm()
            return self._providers
        if model.name not in self._others:
            self._others[model.name] = (
                LocalTransport(model, self._providers) if kind == "local" else ScriptedTransport(Path(rest))
            )
        return self._others[model.name]

    async def ready(self, model: ModelSettings, _at_once: int, _stop: asyncio.Event) -> None:
        """Get ready for this model."""
        self.to(model)

    @asynccontextmanager
    async def reach(self, model: ModelSettings, _stop: asyncio.Event) -> AsyncIterator[Transport]:
        """What `to` does, for whoever might have to wait."""
        yield self.to(model)

    async def close(self) -> None:
        """Stop servers and close connections."""
        for transport in (*self._others.values(), self._providers):
            await transport.close()
