"""A policy's candidates from a cluster: those of one process, byte by byte, also where a worker is lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from prbgen.cluster.cluster import Cluster
from prbgen.downstream.best_of_n.asking import SampleTally
from prbgen.downstream.best_of_n.policy import SamplingSettings
from prbgen.downstream.best_of_n.sample import sample
from prbgen.downstream.folders import Answers
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from tests.downstream.ppo.train.tiny_policies import save_policy
from tests.evaluation.asking_rows import pair_row
from tests.ray_nodes import Nodes, nodes_of
from tests.watched_workers import WatchedWorkers

QUESTIONS = 30


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with nodes_of(2) as found:
        yield found


@pytest.fixture
def one_thread() -> Iterator[None]:
    """As a worker with one CPU has it."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_policy(tmp_path_factory.mktemp("trained") / "policy", positions=256)


def sampled(model: Path, data: Path, folder: Path, nodes: Nodes | None = None, n: int = 3) -> SampleTally:
    settings = SamplingSettings(DataSettings(str(data)), ModelSettings(name=f"hf:{model}"), n=n, max_tokens=24)
    tally = SampleTally()

    async def main() -> None:
        cluster, stop = Cluster(nodes.address) if nodes else None, asyncio.Event()
        say: list[str] = []
        await sample(settings, Answers(folder), Prompts(), stop=stop, tally=tally, say=say.append, cluster=cluster)

    asyncio.run(main())
    return tally


def written(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in ("candidates.jsonl", "sampling.json")]


@pytest.mark.usefixtures("one_thread")
def test_candidates_are_those_of_one_process_though_a_node_is_lost(
    nodes: Nodes, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "questions.jsonl"
    data.write_text("".join(json.dumps(pair_row(number, posts=number % 9)) + "\n" for number in range(QUESTIONS)))
    alone = sampled(model, data, tmp_path / "alone")
    assert alone.shortened > 0

    watched = WatchedWorkers(monkeypatch, 5)
    with nodes.losing_one(watched.enough) as watched.killed:
        sampled(model, data, tmp_path / "cluster", nodes)
        assert watched.killed.is_set()
    assert "write" in watched.lost
    assert written(tmp_path / "cluster") == written(tmp_path / "alone")

    # What the cluster has written one process goes on with.
    again = sampled(model, data, tmp_path / "cluster", n=4)
    sampled(model, data, tmp_path / "alone", n=4)
    assert again.candidates == 4 * QUESTIONS
    assert written(tmp_path / "cluster") == written(tmp_path / "alone")
