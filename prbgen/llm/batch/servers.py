"""Which provider takes which model's batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from prbgen.errors import InputError
from prbgen.llm.batch.anthropic_batches import AnthropicBatches
from prbgen.llm.batch.openai_batches import OpenAIBatches
from prbgen.llm.batch.provider import Provider, Size
from prbgen.llm.batch.record import Submission
from prbgen.llm.batch.spool import Spool
from prbgen.model_settings import ModelSettings

_PROVIDERS: dict[str, Callable[[ModelSettings], Provider]] = {"openai": OpenAIBatches, "anthropic": AnthropicBatches}


@dataclass(eq=False)
class Server:
    """A model at a place, and what is posted to it.

    `full`: it takes no more until one of its batches has ended; `answered`: somebody is there;
    `knocks`: how often it was in trouble.
    """

    model: ModelSettings
    provider: Provider
    spool: Spool
    full: bool = False
    answered: bool = False
    knocks: int = 0


class Servers:
    """The servers of one process, each made when a call of its model is first seen."""

    def __init__(self, folder: Path, most: Size | None = None) -> None:
        """`folder` is for what is posted; `most` lowers what a batch may hold."""
        self._folder = folder
        self._most = most
        self._servers: dict[tuple[str, str | None, str], Server] = {}
        self._whose: dict[str, Server] = {}

    def __iter__(self) -> Iterator[Server]:
        return iter(self._servers.values())

    def of(self, model: ModelSettings) -> Server:
        """The server of a model.

        Raises:
            InputError: it takes no batches.
        """
        # Roles that share a model but for its sampling share its batches, unless someone else pays.
        place = model.name, model.api_base, str(model.params.get("api_key"))
        if place not in self._servers:
            kind = model.name.partition("/")[0]
            if kind not in _PROVIDERS:
                raise InputError(
                    f"{model.label} cannot be asked in batches: only openai/... and anthropic/... models can;"
                    " leave --batch out, or name another model"
                )
            provider = _PROVIDERS[kind](model)
            self._servers[place] = Server(model, provider, Spool(self._folder, self._most or provider.most))
        return self._servers[place]

    def note(self, submission: str, server: Server) -> None:
        """Remember who has a submission of an earlier process."""
        self._whose[submission] = server

    def that_has(self, submission: Submission) -> Server | None:
        """Who has a submission; null where no call of this process tells."""
        if submission.name in self._whose:
            return self._whose[submission.name]
        alike = [each for each in self._servers.values() if each.model.label == submission.model]
        return alike[0] if len(alike) == 1 else None

    async def close(self) -> None:
        """Close connections."""
        for server in self._servers.values():
            await server.provider.close()
