"""Everything goes wrong at once: a provider that fails in every way, and a process that is killed again and again."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from prbgen.cli import main
from prbgen.llm.ledger import Ledger, spent
from tests.provider import Provider, completion, serving

ITEMS, KILLS = 300, 20
# Every call gets through at last; only its reply may take some attempts.
MOST_FAULTS = 3


def chaos(seed: int) -> Callable[[web.Request, str, int], Any]:
    """A fifth of all requests runs into one of seven faults, decided by seed, prompt and number of arrival."""

    async def fault(request: web.Request, prompt: str, arrival: int) -> web.StreamResponse | None:
        dice = random.Random(f"{seed} {prompt} {arrival}")
        if arrival > MOST_FAULTS or dice.random() > 0.2:
            return None
        kind = dice.choice(["429", "500", "drop", "hang", "no json", "cut", "slow"])
        if kind == "429":
            headers = {"Retry-After": "0.1"} if dice.random() < 0.5 else {}
            return web.json_response({"error": {"message": "slow down"}}, status=429, headers=headers)
        if kind == "500":
            return web.json_response({"error": {"message": "boom"}}, status=500)
        if kind == "drop":
            assert request.transport
            request.transport.close()
            return web.Response()
        if kind == "hang":
            await asyncio.sleep(30)
            return web.Response()
        if kind == "no json":
            return web.Response(text="<html>a proxy's page</html>", content_type="text/html")
        whole = web.json_response(completion(prompt)).body
        assert isinstance(whole, bytes)
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(whole))})
        await response.prepare(request)
        if kind == "cut":
            await response.write(whole[: len(whole) // 2])
            assert request.transport
            request.transport.close()
            return response
        for start in range(0, len(whole), 200):  # slow, and longer than the time-out
            await response.write(whole[start : start + 200])
            await asyncio.sleep(1.2)
        return response

    return fault


@pytest.fixture
def big(project: Any, new_row: Callable[..., dict[str, Any]]) -> Any:
    """A project of many questions."""
    project.rows = [new_row(number) for number in range(ITEMS)]
    project.tables["limits"] = {"concurrency": 16, "timeout": 2.0}
    return project


def command(recipe: Path, run: Path) -> list[str]:
    return ["generate", str(recipe), "--run", str(run)]


def test_pairs_are_the_same_to_the_byte_and_only_what_was_in_flight_is_paid_twice(
    big: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with serving(Provider()) as calm:
        big.tables["models"] = {"answer": {"name": "openai/mock", "api_base": calm.url}}
        assert main(command(write(big), tmp_path / "undisturbed")) == 0
    undisturbed = (tmp_path / "undisturbed" / "pairs.jsonl").read_bytes()
    assert len(undisturbed.splitlines()) == ITEMS

    dice = random.Random(7)
    # One process imports the libraries once; each run is a fork of it, and is killed for good.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["litellm", "prbgen.cli.generate", "prbgen.generation", "prbgen.publication.stage"])
    with serving(Provider(fault=chaos(seed=1))) as wild:
        big.tables["models"] = {"answer": {"name": "openai/mock", "api_base": wild.url}}
        words = command(write(big), big.run.folder)
        for _ in range(KILLS):
            process = context.Process(target=main, args=(words,))
            process.start()
            before = wild.arrived.total()
            deadline = time.monotonic() + 60
            while wild.arrived.total() == before and process.is_alive() and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(dice.uniform(0, 0.6))
            assert process.pid
            os.kill(process.pid, signal.SIGKILL)
            process.join()
        process = context.Process(target=main, args=(words,))
        process.start()
        process.join(400)
        assert process.exitcode == 0
    assert big.run.pairs.read_bytes() == undisturbed

    with Ledger(big.run.ledger, read_only=True) as ledger:
        (total,) = spent(ledger)
    paid_twice = wild.answered.total() - len(wild.answered)
    assert len(wild.answered) == total.replies == 2 * ITEMS
    assert total.lost > 0
    assert paid_twice <= total.lost


def write(project: Any) -> Path:
    recipe: Path = project.write()
    return recipe
