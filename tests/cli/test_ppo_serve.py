"""`prbgen ppo serve` as a process: it says where it is, answers, and ends as it should."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from prbgen.cli.ppo import serve
from prbgen.errors import InputError
from prbgen.evaluation.scorers.http import HttpScorer
from prbgen.evaluation.scorers.scorer import Asked, Found
from prbgen.evaluation.settings import ScorerSettings
from tests.evaluation.scorers.asking_desk import scripted
from tests.processes import start_python

SERVE = """
import sys
from contextlib import redirect_stderr
from prbgen.cli import main

with redirect_stderr(sys.stdout):
    code = main(["ppo", "serve", *sys.argv[1:]])
sys.exit(code)
"""
MARK = json.dumps({"score": 7})


@contextmanager
def serving(folder: Path, *rules: dict[str, Any], **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server for a scripted LLM, and the line that it prints when it is ready."""
    ledger = str(folder / "ledger.sqlite")
    flags = ("--scorer", f"rate:{scripted(folder, *rules)}", "--port", "0", "--ledger", ledger)
    process = start_python(SERVE, *flags, **environment)
    assert process.stdout
    try:
        yield process, process.stdout.readline()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()
        process.stdout.close()


def ask(line: str, response: str, **headers: str) -> httpx.Response:
    """Ask at the address in the line."""
    url = line.split(" gives scores at ")[1].split(" ")[0]
    body = {"inputs": [{"prompt": "Which?", "response": response}]}
    return httpx.post(url, json=body, headers=headers, timeout=60)


def asking(line: str, folder: Path, replies: list[httpx.Response]) -> threading.Thread:
    """Ask in a thread; returns when the LLM has been asked."""

    def work() -> None:
        with suppress(httpx.TransportError):
            replies.append(ask(line, "slow"))

    thread = threading.Thread(target=work)
    thread.start()
    until = time.monotonic() + 60
    while not (folder / "calls.jsonl").exists() and time.monotonic() < until:
        time.sleep(0.02)
    return thread


def test_it_says_where_it_is_and_a_signal_stops_it_when_what_is_in_flight_is_answered(tmp_path: Path) -> None:
    rule = {"reply": MARK, "delay": 2}
    replies: list[httpx.Response] = []
    with serving(tmp_path, rule, PRBGEN_REWARD_KEY="open sesame".replace(" ", "-")) as (process, line):
        assert line.startswith(f"rate:scripted/{tmp_path}")
        assert '-H "Authorization: Bearer $PRBGEN_REWARD_KEY"' in line
        assert "open-sesame" not in line
        assert ask(line, "a").status_code == 401

        def work() -> None:
            replies.append(ask(line, "slow", Authorization="Bearer open-sesame"))

        thread = threading.Thread(target=work)
        thread.start()
        while not (tmp_path / "calls.jsonl").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        thread.join()
        assert process.wait(30) == 0
    assert replies[0].json() == {"scores": [7.0]}


def test_a_second_signal_stops_it_at_once(tmp_path: Path) -> None:
    replies: list[httpx.Response] = []
    with serving(tmp_path, {"reply": MARK, "delay": 100}) as (process, line):
        thread = asking(line, tmp_path, replies)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        assert process.wait(20) == 130
        thread.join()
    assert not [reply for reply in replies if reply.status_code == 200]


def test_when_the_model_is_gone_it_says_why_and_ends(tmp_path: Path) -> None:
    with serving(tmp_path, {"reply": MARK, "times": 1}) as (process, line):
        assert ask(line, "a").json() == {"scores": [7.0]}
        gone = ask(line, "b")  # the script has no rule for it
        assert process.wait(30) == 2
        assert process.stdout
        assert "no rule is left" in process.stdout.readline()
    assert gone.status_code == 503
    assert "no rule is left" in gone.json()["error"]


def run(*flags: str) -> int:
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    return serve.run(parser.parse_args(flags))


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--scorer", "judge:gpt-5"), "a judge compares two answers"),
        (("--scorer", "nothing"), "should be KIND:MODEL"),
        (("--scorer", "http://here/score", "--device", "cpu"), "--device says nothing to a http scorer"),
        (("--scorer", "http://here/score", "--ledger", "a.sqlite"), "--ledger says nothing to a http scorer"),
        (("--scorer", "http://here/score", "--port", "70000"), "a port is a number"),
        (("--scorer", "http://here/score", "--host", "0.0.0.0", "--port", "0"), "or say --no-key"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(
    flags: tuple[str, ...], told: str, in_tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PRBGEN_REWARD_KEY", raising=False)
    with pytest.raises(InputError, match=told):
        run(*flags)
    assert not list(in_tmp_path.iterdir())


def test_a_model_that_cannot_be_had_ends_a_server_that_listens_already(in_tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs the address of its vLLM server"):
        run("--scorer", "pooling:m", "--port", "0")


def test_a_port_in_use_is_told(in_tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        with pytest.raises(InputError, match="cannot listen there"):
            run("--scorer", "http://here/score", "--port", port)


def test_a_burst_larger_than_the_queue_is_served_in_the_end(tmp_path: Path) -> None:
    """429 is no failure for who asks again, as the http scorer does."""
    ledger = str(tmp_path / "ledger.sqlite")
    model = f"rate:{scripted(tmp_path, {'reply': MARK, 'delay': 0.2})}"
    process = start_python(SERVE, "--scorer", model, "--port", "0", "--ledger", ledger, "--queue", "2", "--batch", "1")
    assert process.stdout
    try:
        url = process.stdout.readline().split(" gives scores at ")[1].split(" ")[0]
        groups = [Asked(place, f"q{place}", (f"a{place}",), 0, lambda _: "Which?") for place in range(12)]
        found = asyncio.run(_found(url, groups))
        figures = httpx.get(url.replace("/score", "/metrics")).text
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert 'prbgen_reward_failures_total{reason="queue_full"}' in figures
    assert sorted(each.place for each in found) == list(range(12))
    assert [(each.scores, each.reason) for each in found] == [((7.0,), None)] * 12


async def _found(url: str, groups: list[Asked]) -> list[Found]:
    scorer = HttpScorer(ScorerSettings.parsed(f"http:{url}"))
    try:
        return [each async for each in scorer.score(groups, asyncio.Event())]
    finally:
        await scorer.close()
