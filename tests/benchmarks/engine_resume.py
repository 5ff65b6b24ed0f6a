"""How soon a run that has 100,000 replies on record asks for a new one (d), and what memory that takes.

    python tests/benchmarks/engine_resume.py build LEDGER API_BASE --replies 100000
    python tests/benchmarks/engine_resume.py ask LEDGER API_BASE --replies 100000

`build` writes a ledger; `ask`, a process of its own, asks for all its replies again, and then for one more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from engine_client import MODEL, question
from fresh_process import fresh
from mock_provider import Settings, running
from outcome import Outcome
from read_and_rank import peak_mb

if TYPE_CHECKING:
    from prbgen.llm.gateway import Request

REPLIES, WORDS = 100_000, 100
MOST_SECONDS, MOST_MB = 10.0, 300.0


def resume() -> Iterator[Outcome]:
    """(d) From the start of the process until the first new call reaches the server, LiteLLM's import included."""
    with tempfile.TemporaryDirectory() as folder, running(Settings()) as server:
        ledger = Path(folder) / "ledger.sqlite"
        fresh("engine_resume.py", "build", ledger, server.api_base, "--replies", REPLIES)
        size = ledger.stat().st_size / 1e6
        ended = fresh("engine_resume.py", "ask", ledger, server.api_base, "--replies", REPLIES)
        seen = server.counters()
    assert ended.record is not None
    if seen["replied"] != 1 or ended.record["served"] != REPLIES:
        raise SystemExit(f"d  {seen['replied']} calls were sent, {ended.record['served']} replies served")
    record, begun = ended.record, ended.begun
    ready = seen["first"] - begun
    print(
        f"d  {REPLIES:,} replies on record ({size:.0f} MB): ledger open after {record['opened'] - begun:.1f} s,",
        end=" ",
    )
    print(f"all served after {record['done'] - begun:.1f} s,")
    print(f"   new call at the server after {ready:.1f} s; {record['cpu']:.1f} s of CPU in all,", end=" ")
    print(f"peak memory {record['mb']:.0f} MB")
    yield Outcome.at_most("d", "seconds until a new call after a resume", ready, MOST_SECONDS)
    yield Outcome.at_most("d", "peak memory of a resume, MB", record["mb"], MOST_MB)


def requests(api_base: str) -> Callable[[int], Request[str]]:
    """Makes the requests, by number; their replies are free text."""
    from prbgen.llm.gateway import Request
    from prbgen.llm.model import Message
    from prbgen.model_settings import ModelSettings

    model = ModelSettings(name=f"openai/{MODEL}", api_base=api_base)

    def request(number: int) -> Request[str]:
        return Request("answer", str(number), model, (Message("user", question(number)),), str, assumed="An answer.")

    return request


async def build(file: Path, api_base: str, replies: int) -> dict[str, float]:
    """Write a ledger in one transaction."""
    from prbgen.llm.fingerprint import fingerprint
    from prbgen.llm.ledger import Ledger, Result, Sent
    from prbgen.llm.ledger.ledger import insert, update
    from prbgen.llm.model import Call

    request = requests(api_base)
    usage = {"prompt_tokens": 300, "completion_tokens": WORDS, "total_tokens": 300 + WORDS}

    def work(connection: sqlite3.Connection) -> None:
        for number in range(replies):
            asked = request(number)
            key = fingerprint(Call(asked.model, asked.messages, asked.stage))
            sent = Sent(key, asked.stage, asked.item, asked.model.label, False, "2026-01-01T00:00:00.000+00:00")
            reply = f"Reply {number}: " + "word " * WORDS
            update(connection, insert(connection, sent), Result("stop", reply, None, usage, 0.0001, 1.0))

    with Ledger(file) as ledger:
        await ledger.write(work)
    return {"replies": replies}


async def ask(file: Path, api_base: str, replies: int) -> dict[str, float]:
    """When the ledger was open and when all replies were served (time.monotonic), and what the process took in all."""
    from prbgen.llm.flow import as_finished
    from prbgen.llm.gateway import Gateway, Reply
    from prbgen.llm.ledger import Ledger
    from prbgen.llm.templates import Prompts
    from prbgen.llm.traffic import Traffic
    from prbgen.llm.way import Way
    from prbgen.recipe import LimitSettings

    request = requests(api_base)
    limits, traffic, stop = LimitSettings(), Traffic(), asyncio.Event()
    with Ledger(file) as ledger:
        gateway = Gateway(ledger, Prompts(), Way().open(ledger, limits, stop=stop, traffic=traffic), traffic)
        opened = time.monotonic()

        async def one(number: int) -> Reply[str]:
            return await gateway.ask(request(number))

        async with aclosing(as_finished(range(replies), one, at_once=2 * limits.concurrency, stop=stop)) as finished:
            async for _ in finished:
                pass
        done = time.monotonic()
        served = traffic.recorded
        await one(replies)
        await gateway.close()
    return {"opened": opened, "done": done, "served": served, "cpu": time.process_time(), "mb": peak_mb()}


def main() -> None:
    """Build or ask, as the command line says."""
    options = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    options.add_argument("step", choices=["build", "ask"])
    options.add_argument("file", type=Path)
    options.add_argument("api_base")
    options.add_argument("--replies", type=int, default=REPLIES)
    given = vars(options.parse_args())
    os.environ["OPENAI_API_KEY"] = "none"
    print(json.dumps(asyncio.run({"build": build, "ask": ask}[given.pop("step")](**given))))


if __name__ == "__main__":
    main()
