"""Commands with `--ray`, on two nodes: one of them is lost in mid-run, and nothing that is written differs."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import ray
import tomli_w
from aiohttp import web

import prbgen.llm.transports.ray_transport
from prbgen.cli import main
from prbgen.llm.ledger import Ledger
from prbgen.llm.transports.ray_transport import AT_ONCE
from tests.downstream.best_of_n.judging_bench import bench, covering
from tests.evaluation.asking_rows import pair_row
from tests.generation.conftest import row
from tests.provider import Provider, completion, serving
from tests.ray_nodes import Nodes, nodes_of

# Two workers' worth.
CONCURRENCY = 2 * AT_ONCE
KEY, OTHER = "sk-a-key-that-nobody-may-see", "another-key-that-nobody-may-see"
Fault = Callable[[web.Request, str, int], Awaitable[web.StreamResponse | None]]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with nodes_of(2) as found:
        yield found


@pytest.fixture(autouse=True)
def _no_worker_takes_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prbgen.llm.transports.ray_transport, "MOST", AT_ONCE)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """With a key of this process alone: the nodes were started without it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(Provider()) as found:
        yield found


def always(reply: Any) -> Fault:
    """Whatever is asked, this JSON is the reply."""

    async def answer(_request: web.Request, prompt: str, _arrival: int) -> web.StreamResponse | None:
        whole = completion(prompt)
        whole["choices"][0]["message"]["content"] = json.dumps(reply)
        return web.json_response(whole)

    return answer


def losing(nodes: Nodes, provider: Provider, words: list[str]) -> int:
    """The exit code of a command on the cluster that loses a node while both workers have calls in flight."""
    replies = provider.fault

    async def held(request: web.Request, prompt: str, arrival: int) -> web.StreamResponse | None:
        await asyncio.to_thread(lost.wait)
        return await replies(request, prompt, arrival) if replies else None

    provider.arrived.clear()
    with nodes.losing_one(lambda: provider.in_flight > AT_ONCE) as lost:
        provider.fault = held
        code = main([*words, "--ray", nodes.address])
        assert lost.is_set()
    return code


def check_ledger(path: Path, calls: int) -> None:
    """Some attempts were lost with their worker; every call has one reply, and none was made again that had one."""
    with Ledger(path, read_only=True) as ledger:
        outcomes = dict(ledger.query("SELECT outcome, count(*) FROM attempts GROUP BY outcome"))
        replies = ledger.query("SELECT count(reply), max(id) - max(CASE WHEN reply IS NULL THEN 0 ELSE id END)"
                               " FROM attempts GROUP BY key")  # fmt: skip
    assert outcomes.pop("worker") > 0
    assert outcomes == {"stop": calls}
    assert replies == [(1, 0)] * calls


def project(folder: Path, provider: Provider, items: int, **limits: int) -> list[str]:
    """A project of so many questions, two calls each; returns the command."""
    (folder / "Lifestyle_and_Personal_Development_test.jsonl").write_text(
        "".join(json.dumps(row(number)) + "\n" for number in range(items))
    )
    tables = {
        "source": {"path": "Lifestyle_and_Personal_Development_test.jsonl"},
        "models": {"answer": {"name": "openai/mock", "api_base": provider.url, "max_tokens": 100}},
        "limits": {"concurrency": CONCURRENCY, **limits},
    }
    (folder / "recipe.toml").write_text(tomli_w.dumps(tables))
    return ["generate", str(folder / "recipe.toml"), "--run"]


def test_generate_writes_the_same_to_the_byte_though_a_node_is_lost(
    nodes: Nodes, provider: Provider, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = project(tmp_path, provider, 40)
    undisturbed, run = tmp_path / "undisturbed", tmp_path / "run"
    # Not all of them are fair pairs: there are rejects to compare, too.
    code = main([*command, str(undisturbed)])
    capfd.readouterr()
    assert losing(nodes, provider, [*command, str(run)]) == code
    for name in ("pairs.jsonl", "rejects.jsonl"):
        assert (run / name).read_bytes() == (undisturbed / name).read_bytes(), name
    assert (run / "pairs.jsonl").read_bytes()
    check_ledger(run / "ledger.sqlite", 80)
    out, err = capfd.readouterr()
    assert "raylet" not in out + err
    sent = provider.arrived.total()
    assert main([*command, str(run), "--ray", nodes.address]) == code
    assert provider.arrived.total() == sent


def test_evaluate_finds_the_same_though_a_node_is_lost(nodes: Nodes, provider: Provider, in_tmp_path: Path) -> None:
    provider.fault = always({"verdict": "A"})
    Path("pairs.jsonl").write_text("".join(json.dumps(pair_row(number)) + "\n" for number in range(70)))
    command = ["evaluate", "pairs.jsonl", "--scorer", "judge:openai/mock", "--condition", "none"]
    command += ["--api-base", provider.url, "--concurrency", str(CONCURRENCY), "--out"]
    assert main([*command, "undisturbed"]) == 0
    assert losing(nodes, provider, [*command, "out"]) == 0
    assert Path("out/items.jsonl").read_bytes() == Path("undisturbed/items.jsonl").read_bytes()
    summaries = [json.loads(Path(name, "summary.json").read_text()) for name in ("out", "undisturbed")]
    for summary in summaries:
        assert summary.pop("scoring_seconds") > 0
        # Those that were lost were made, too, and may be billed.
        assert summary["cost"].pop("calls") >= 140
    assert summaries[0] == summaries[1]
    check_ledger(Path("out/ledger.sqlite"), 140)


def test_candidates_are_the_same_though_a_node_is_lost(nodes: Nodes, provider: Provider, in_tmp_path: Path) -> None:
    Path("data.jsonl").write_text("".join(json.dumps(pair_row(number)) + "\n" for number in range(70)))
    command = ["bon", "sample", "data.jsonl", "--policy", "openai/mock", "--policy-api-base", provider.url]
    command += ["--n", "2", "--condition", "none", "--concurrency", str(CONCURRENCY), "--out"]
    assert main([*command, "undisturbed"]) == 0
    assert losing(nodes, provider, [*command, "out"]) == 0
    assert Path("out/candidates.jsonl").read_bytes() == Path("undisturbed/candidates.jsonl").read_bytes()


def test_judgements_are_the_same_though_a_node_is_lost(nodes: Nodes, provider: Provider, tmp_path: Path) -> None:
    provider.fault = always(covering(2, 1))
    made = [bench(tmp_path / name, questions=25) for name in ("undisturbed", "run")]
    words = ["--judge", "openai/mock", "--judge-api-base", provider.url, "--concurrency", str(CONCURRENCY)]
    commands = [["bon", "judge", str(each.data), "--candidates", str(each.answers.folder), *words] for each in made]
    assert main(commands[0]) == 0
    assert losing(nodes, provider, commands[1]) == 0
    files = [next(each.answers.folder.rglob("judgements.jsonl")) for each in made]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_workers_share_one_rate_limit(nodes: Nodes, provider: Provider, tmp_path: Path) -> None:
    # One at the beginning, and one every fifth of a second; arrivals at the server, not what the driver says of them.
    arrivals: list[float] = []

    async def noted(_request: web.Request, _prompt: str, _arrival: int) -> None:
        arrivals.append(time.monotonic())

    provider.fault = noted
    assert main([*project(tmp_path, provider, 15, rpm=300), str(tmp_path / "run"), "--ray", nodes.address]) in (0, 1)
    assert len(arrivals) == 30
    # LiteLLM's first call in each worker takes long, and those behind it arrive together.
    warm = [each for each in arrivals if each > arrivals[0] + 2]
    assert len(warm) > 10
    assert warm[-1] - warm[0] > 0.95 * (len(warm) - 2) / 5


def test_workers_share_one_budget(nodes: Nodes, provider: Provider, tmp_path: Path) -> None:
    budget = 3000
    command = [*project(tmp_path, provider, 20, budget_tokens=budget), str(tmp_path / "run")]
    assert main([*command, "--ray", nodes.address]) == 1
    with Ledger(tmp_path / "run" / "ledger.sqlite", read_only=True) as ledger:
        ((replies, tokens),) = ledger.query(
            "SELECT count(reply), sum(json_extract(usage, '$.total_tokens')) FROM attempts"
        )
    assert 0 < replies < 40
    assert tokens <= budget


def test_nothing_is_set_aside_for_calls_that_no_worker_took(
    nodes: Nodes, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All workers are lost with few calls in flight, and many at the gate; what is then done fits into the budget."""
    lost = threading.Event()

    async def held(_request: web.Request, _prompt: str, _arrival: int) -> None:
        await asyncio.to_thread(lost.wait)

    def lose() -> None:
        while provider.in_flight < 4:
            time.sleep(0.05)
        for each in psutil.Process().children(recursive=True):  # those of this test's cluster
            with suppress(psutil.NoSuchProcess):
                if each.name().startswith("ray::Host"):
                    each.kill()
        time.sleep(2)
        lost.set()

    provider.fault = held
    command = [*project(tmp_path, provider, 20, concurrency=4, budget_tokens=100_000), str(tmp_path / "run")]
    thread = threading.Thread(target=lose, daemon=True)
    thread.start()
    assert main([*command, "--ray", nodes.address]) in (0, 1)
    thread.join()
    with Ledger(tmp_path / "run" / "ledger.sqlite", read_only=True) as ledger:
        outcomes = dict(ledger.query("SELECT outcome, count(*) FROM attempts GROUP BY outcome"))
    assert outcomes.pop("worker") <= 4
    assert outcomes == {"stop": 40}


def test_a_worker_of_another_version_is_refused(
    nodes: Nodes,
    provider: Provider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = prbgen.__version__
    monkeypatch.setattr(prbgen.llm.transports.ray_transport, "__version__", "99.0")
    assert main([*project(tmp_path, provider, 3), str(tmp_path / "run"), "--ray", nodes.address]) == 2
    assert re.search(rf"node \S+ has prbgen {re.escape(own)}, but the driver has 99\.0", capsys.readouterr().err)
    assert not provider.arrived


def test_keys_reach_providers_from_workers_and_stay_in_memory(
    nodes: Nodes, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOR_THE_MOCK", OTHER)
    seen = set()

    async def echo(request: web.Request, _prompt: str, arrival: int) -> web.StreamResponse | None:
        seen.add(request.headers["Authorization"].removeprefix("Bearer "))
        told = {"error": {"message": f"not with {request.headers['Authorization']}"}}
        return web.json_response(told, status=500) if arrival == 1 else None

    provider.fault = echo
    command = project(tmp_path, provider, 2)
    recipe = tmp_path / "recipe.toml"
    for name in ("by_name", "referred"):
        assert main([*command, str(tmp_path / name), "--ray", nodes.address]) in (0, 1)
        provider.arrived.clear()
        recipe.write_text(
            recipe.read_text().replace("[models.answer]", '[models.answer]\napi_key = "os.environ/FOR_THE_MOCK"')
        )
    assert seen == {KEY, OTHER}
    session = Path(ray._private.worker._global_node.get_session_dir_path())
    read = 0
    for folder in (session, tmp_path):
        for file in folder.rglob("*"):
            if file.is_file() and not file.is_symlink():
                content, read = file.read_bytes(), read + 1
                assert KEY.encode() not in content, file
                assert OTHER.encode() not in content, file
    assert read > 20
