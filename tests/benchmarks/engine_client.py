"""One client in a process of its own: asks so many questions at once, and prints what that took as JSON.

python tests/benchmarks/engine_client.py ours|litellm|openai API_BASE --calls 2000 --concurrency 128 [--warm-up 200]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

MODEL = "gpt-4o-mini"
Ask = Callable[[str], Awaitable[object]]


def question(number: int) -> str:
    """One of the questions, about 300 tokens long."""
    return f"Question {number}: " + "what would you tell someone who asks this? " * 30


@asynccontextmanager
async def ours(api_base: str, concurrency: int) -> AsyncGenerator[Ask, None]:
    """Gateway.ask with a ledger on disk."""
    from prbgen.llm.gateway import Gateway, Request
    from prbgen.llm.ledger import Ledger
    from prbgen.llm.model import Message
    from prbgen.llm.online import Online
    from prbgen.llm.templates import Prompts
    from prbgen.model_settings import ModelSettings
    from prbgen.recipe import LimitSettings

    model = ModelSettings(name=f"openai/{MODEL}", api_base=api_base)
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "ledger.sqlite") as ledger:
        gateway = Gateway(ledger, Prompts(), Online(ledger, LimitSettings(concurrency=concurrency)))

        async def ask(text: str) -> object:
            request = Request("answer", text[:20], model, (Message("user", text),), str, assumed="An answer.")
            return await gateway.ask(request)

        try:
            yield ask
        finally:
            await gateway.close()


@asynccontextmanager
async def litellm(api_base: str, concurrency: int) -> AsyncGenerator[Ask, None]:
    """litellm.acompletion under a semaphore."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm as library

    async def ask(text: str) -> object:
        messages = [{"role": "user", "content": text}]
        return await library.acompletion(model=f"openai/{MODEL}", api_base=api_base, messages=messages, max_retries=0)

    yield _limited(ask, concurrency)


@asynccontextmanager
async def openai(api_base: str, concurrency: int) -> AsyncGenerator[Ask, None]:
    """The openai SDK under a semaphore."""
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=api_base, max_retries=0) as client:

        async def ask(text: str) -> object:
            return await client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": text}])

        yield _limited(ask, concurrency)


def _limited(ask: Ask, concurrency: int) -> Ask:
    slots = asyncio.Semaphore(concurrency)

    async def limited(text: str) -> object:
        async with slots:
            return await ask(text)

    return limited


CLIENTS: dict[str, Callable[[str, int], AbstractAsyncContextManager[Ask]]] = {
    "ours": ours,
    "litellm": litellm,
    "openai": openai,
}


async def run(kind: str, api_base: str, calls: int, concurrency: int, warm_up: int) -> dict[str, float]:
    """Wall and CPU seconds (all threads) for the calls after the warm-up."""
    async with CLIENTS[kind](api_base, concurrency) as ask:
        await asyncio.gather(*(ask(question(-number)) for number in range(1, warm_up + 1)))
        wall, cpu = time.monotonic(), time.process_time()
        await asyncio.gather(*(ask(question(number)) for number in range(calls)))
        return {"wall": time.monotonic() - wall, "cpu": time.process_time() - cpu}


def main() -> None:
    """Run one client as the command line says."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("kind", choices=CLIENTS)
    options.add_argument("api_base")
    for name in ("--calls", "--concurrency", "--warm-up"):
        options.add_argument(name, type=int, default=0)
    os.environ["OPENAI_API_KEY"] = "none"
    print(json.dumps(asyncio.run(run(**vars(options.parse_args())))))


if __name__ == "__main__":
    main()
