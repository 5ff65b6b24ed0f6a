"""Asks by batches as a run does: pass after pass, until nothing is postponed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from prbgen.llm.batch import Batched
from prbgen.llm.batch.provider import Size
from prbgen.llm.batch.watch import Waits
from prbgen.llm.budget import Budget
from prbgen.llm.gateway import Gateway, Request
from prbgen.llm.ledger import Ledger, committed
from prbgen.llm.model import Message
from prbgen.llm.route import PostponedError, UnansweredError
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings

Work = Callable[[Gateway, str], Awaitable[Any]]
PROVIDERS = ("openai", "anthropic")


async def until(condition: Callable[[], object]) -> None:
    """Wait for what happens elsewhere: in the stand-in's thread, or in the run."""
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


class Desk:
    """A run's folder, and the model that it asks at a stand-in."""

    def __init__(self, folder: Path, url: str, provider: str, **more: Any) -> None:
        self.folder = folder
        self.provider = provider
        names = {"openai": "openai/gpt-4o-mini", "anthropic": "anthropic/claude-haiku-4-5"}
        base = f"{url}/v1" if provider == "openai" else url
        self.model = ModelSettings(name=names[provider], api_base=base, **{"max_tokens": 50} | more)
        self.passes = 0
        self.traffic = Traffic()

    def run(
        self,
        items: list[str],
        work: Work | None = None,
        *,
        limits: LimitSettings | None = None,
        most: Size | None = None,
        stop: asyncio.Event | None = None,
        waits: Waits | None = None,
        beside: Callable[[], Awaitable[None]] | None = None,
    ) -> list[Any]:
        """What came of each item: its result, or an UnansweredError."""

        async def main() -> list[Any]:
            with Ledger(self.folder / "ledger.sqlite") as ledger:
                budget = Budget(limits, *committed(ledger)) if limits else None
                batched = Batched(
                    ledger,
                    self.folder / "batches",
                    stop=stop,
                    budget=budget,
                    traffic=self.traffic,
                    waits=waits or Waits(0.02, 0.05),
                    most=most,
                )
                gateway = Gateway(ledger, Prompts(), batched, self.traffic)
                other = asyncio.ensure_future(beside()) if beside else None
                try:
                    return await self._passes(gateway, batched, items, work or self.ask)
                finally:
                    await gateway.close()
                    if other:
                        await other

        return asyncio.run(main())

    async def _passes(self, gateway: Gateway, batched: Batched, items: list[str], work: Work) -> list[Any]:
        while True:
            self.passes += 1
            results = await asyncio.gather(*(work(gateway, item) for item in items), return_exceptions=True)
            for result in results:
                if isinstance(result, Exception) and not isinstance(result, PostponedError | UnansweredError):
                    raise result
            if not any(isinstance(result, PostponedError) for result in results):
                return results
            await batched.exchange()

    async def ask(self, gateway: Gateway, item: str) -> Any:
        return (await gateway.ask(self.request(item))).value

    def request(self, item: str, reply_type: Any = str, **more: Any) -> Request[Any]:
        messages = (Message("system", "Be brief."), Message("user", item))
        assumed = "x" if reply_type is str else reply_type.model_construct()
        return Request("answer", item, self.model, messages, reply_type, assumed=assumed, **more)

    def rows(self, columns: str = "outcome, count(*)", rest: str = "GROUP BY outcome ORDER BY outcome") -> list[Any]:
        with Ledger(self.folder / "ledger.sqlite", read_only=True) as ledger:
            return ledger.query(f"SELECT {columns} FROM attempts {rest}")

    def committed(self) -> tuple[int, float]:
        with Ledger(self.folder / "ledger.sqlite", read_only=True) as ledger:
            return committed(ledger)
