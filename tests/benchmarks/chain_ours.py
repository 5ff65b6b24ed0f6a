"""The chain of two calls an item by prbgen's engine: two asks, with a ledger on disk."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import chain


async def ours(job: chain.Job) -> int:
    """All items, as a stage would do them."""
    from prbgen.llm.flow import as_finished
    from prbgen.llm.gateway import Gateway, Request
    from prbgen.llm.ledger import Ledger
    from prbgen.llm.model import Message
    from prbgen.llm.route import UnansweredError
    from prbgen.llm.templates import Prompts
    from prbgen.llm.traffic import Traffic
    from prbgen.llm.way import Way
    from prbgen.model_settings import ModelSettings
    from prbgen.recipe import LimitSettings

    model = ModelSettings(name=f"openai/{chain.MODEL}", api_base=job.api_base)
    limits, traffic, stop = LimitSettings(concurrency=job.concurrency), Traffic(), asyncio.Event()
    with Ledger(job.folder / "ledger.sqlite") as ledger:
        gateway = Gateway(ledger, Prompts(), Way().open(ledger, limits, stop=stop, traffic=traffic), traffic)

        async def ask(number: int, prompt: str) -> str:
            request = Request("answer", str(number), model, (Message("user", prompt),), str, assumed="An answer.")
            return (await gateway.ask(request)).value

        async def item(number: int) -> bool:
            try:
                draft = await ask(number, chain.first(number))
                return bool(await ask(number, chain.second(chain.first(number), draft)))
            except UnansweredError:
                return False

        at_once = 2 * job.concurrency
        try:
            async with aclosing(as_finished(range(job.items), item, at_once=at_once, stop=stop)) as finished:
                return sum([done async for _, done in finished])
        finally:
            await gateway.close()


if __name__ == "__main__":
    chain.run(lambda job: asyncio.run(ours(job)))
