"""A chain of two calls an item by prbgen and its peers, as whole processes (f): how fast, and what faults cost."""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fresh_process import Ended, attempt
from mock_provider import Settings, running
from outcome import Outcome
from peer_environments import peer

ITEMS, CONCURRENCY, ROUNDS = 500, 64, 3
LATENCY, TAIL, FAULTS = 1.0, 0.05, 0.1
MOST_OVER_PEERS = 1.0
PATIENCE = 600.0  # seconds for one process


@dataclass(frozen=True)
class Client:
    """A client: its script, and the environment that it runs in (null: this one)."""

    label: str
    script: str
    python: Path | None = None
    env: dict[str, str] = field(default_factory=dict)


def peers() -> Iterator[Outcome]:
    """(f) Our time over that of the fastest peer; then, with faults, what is finished and what is paid again."""
    clients = [_distilabel(), _curator(), Client("ours", "chain_ours.py")]
    yield from _in_peace(clients)
    yield from _with_faults(clients)


def _in_peace(clients: list[Client]) -> Iterator[Outcome]:
    """Medians of processes run in turn. A client that leaves items undone has no time."""
    print(f"f  {ITEMS} items of two calls, {LATENCY:g} s ({TAIL:.0%} at {5 * LATENCY:g} s), {CONCURRENCY} at once")
    seconds: dict[str, list[float]] = {client.label: [] for client in clients}
    for _ in range(ROUNDS):
        for client in clients:
            ended, seen = _run(client, Settings(latency=LATENCY, tail=TAIL))
            finished = _finished(client, ended)
            print(f"   {client.label:28}{ended.seconds:7.1f} s, {finished} finished,", end=" ")
            print(f"{seen['replied']} replies, at most {seen['max_in_flight']} at once", flush=True)
            seconds[client.label].append(ended.seconds if finished == ITEMS else math.inf)
    *others, ours = map(statistics.median, seconds.values())
    if min(others) == math.inf:
        raise SystemExit("f  nothing to compare: no peer did all items")
    yield Outcome.at_most("f", "time over that of the fastest peer", ours / min(others), MOST_OVER_PEERS)


def _with_faults(clients: list[Client]) -> Iterator[Outcome]:
    """Items finished, and replies that came whole and were paid for again all the same."""
    print(f"f  the same, {FAULTS:.0%} of the requests fail with 500, 429 or a dropped connection")
    for client in clients:
        ended, seen = _run(client, Settings(latency=LATENCY, tail=TAIL, faults=FAULTS))
        finished = _finished(client, ended)
        answered = seen["replied"] + seen["dropped"]
        again = answered - seen["distinct"]
        print(f"   {client.label:28}{ended.seconds:7.1f} s, {finished} finished, {answered} calls answered,", end=" ")
        print(f"{again} again, {seen['dropped']} came back broken", flush=True)
    # The last client is ours.
    yield Outcome.at_least("f", f"items finished of {ITEMS} with {FAULTS:.0%} faults", finished, ITEMS)
    yield Outcome.at_most("f", "calls paid again though the reply came whole", again - seen["dropped"], 0)


def _run(client: Client, settings: Settings) -> tuple[Ended, dict[str, Any]]:
    with running(settings) as server, tempfile.TemporaryDirectory() as folder:
        arguments = (server.api_base, folder, "--items", ITEMS, "--concurrency", CONCURRENCY)
        caches = dict.fromkeys(("HF_HOME", "DISTILABEL_CACHE_DIR", "CURATOR_CACHE_DIR"), folder)
        env = client.env | (caches if client.python else {})
        ended = attempt(client.script, *arguments, python=client.python, env=env, seconds=PATIENCE)
        return ended, server.counters()


def _finished(client: Client, ended: Ended) -> int:
    if ended.record is None:
        print(f"   {client.label} failed:\n{ended.remarks}")
        return 0
    return int(ended.record["finished"])


def _distilabel() -> Client:
    installed = peer("distilabel")
    label = f"{installed.name} {installed.version}"
    return Client(label, "chain_distilabel.py", installed.python, {"HF_HUB_OFFLINE": "1"})


def _curator() -> Client:
    installed = peer("bespokelabs-curator")
    env = {
        "HF_HUB_OFFLINE": "1",
        "CURATOR_DISABLE_CACHE": "1",
        "TELEMETRY_ENABLED": "false",
        # It counts tokens by a table that it would download.
        "TIKTOKEN_CACHE_DIR": str(installed.litellm_tokenizers),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    return Client(f"{installed.name} {installed.version}", "chain_curator.py", installed.python, env)
