"""Scores from a cluster: those of one process, byte by byte, also where a node is lost; and from one model alone."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import ray
import torch

from prbgen import __version__
from prbgen.cluster.cluster import Cluster
from prbgen.errors import InputError, InterruptError
from prbgen.evaluation.evaluate import PairTally, evaluate
from prbgen.evaluation.results import Results
from prbgen.evaluation.scorers.scalar.on_cluster import ClusterScalarScorer
from prbgen.evaluation.scorers.scalar_worker import ScalarWorker
from prbgen.evaluation.settings import DataSettings, Evaluation
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from tests.evaluation.asking_rows import pair_row
from tests.evaluation.scorers.reward_servers import pair
from tests.evaluation.scorers.scalar.tiny_classifiers import save, settings
from tests.ray_nodes import Nodes, nodes_of
from tests.watched_workers import WatchedWorkers

PAIRS = 150


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with nodes_of(2) as found:
        yield found


@contextmanager
def one_thread() -> Iterator[None]:
    """As a worker with one CPU has it."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("models") / "qwen2", "qwen2")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Short and long ones; some lose posts, some are too long whatever they lose; answers are alike, too."""
    file = tmp_path_factory.mktemp("data") / "pairs.jsonl"
    with file.open("w") as lines:
        for number in range(PAIRS):
            posts = [
                {"category": "tea", "id": f"{number}_{at}", "text": f"Post {at}. " * 9} for at in range(number % 10)
            ]
            question = f"What now, number {number}?" * (60 if number % 50 == 49 else number % 3 + 1)
            row = pair_row(number, profile=posts, question=question, rejected=f"Do that, {number}. " * (number % 7 + 1))
            lines.write(json.dumps(row) + "\n")
    return str(file)


def evaluated(data: str, model: Path, folder: Path, nodes: Nodes | None = None) -> PairTally:
    tally = PairTally()
    about = Evaluation(DataSettings(data), "profile", settings(model, max_tokens=600))

    async def main() -> None:
        cluster = Cluster(nodes.address) if nodes else None
        results, stop = Results(folder), asyncio.Event()
        await evaluate(about, results, Prompts(), stop=stop, tally=tally, say=lambda _: None, cluster=cluster)

    with one_thread():
        asyncio.run(main())
    return tally


def results_in(folder: Path) -> tuple[bytes, dict[str, Any]]:
    summary = json.loads((folder / "summary.json").read_bytes())
    assert summary.pop("scoring_seconds") > 0
    return (folder / "items.jsonl").read_bytes(), summary


def test_items_are_those_of_one_process_though_a_node_is_lost_and_a_journal_goes_on_without_a_cluster(
    nodes: Nodes, model: Path, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated(data, model, tmp_path / "alone")
    expected, summary = results_in(tmp_path / "alone")
    assert {json.loads(line)["reason"] for line in expected.splitlines()} == {None, "too long"}
    assert sum(json.loads(line)["truncated"] for line in expected.splitlines()) > 9

    watched = WatchedWorkers(monkeypatch, 8)
    with nodes.losing_one(watched.enough) as watched.killed:
        evaluated(data, model, tmp_path / "cluster", nodes)
        assert watched.killed.is_set()
    assert "score" in watched.lost
    assert results_in(tmp_path / "cluster") == (expected, summary)

    # What the cluster has scored is the same work to one process.
    again = evaluated(data, model, tmp_path / "cluster")
    assert again.known == again.scored > 100
    assert results_in(tmp_path / "cluster") == (expected, summary)


async def test_a_folder_that_a_node_lacks_is_one_line_that_names_the_node(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^node \S+: /.*/nothing: no such folder, and no such model on the Hub"):
        await ScalarWorker().prepare(__version__, {}, settings(tmp_path / "nothing"))


async def test_a_stop_finishes_what_is_out_and_another_model_on_a_node_is_refused(nodes: Nodes, tmp_path: Path) -> None:
    model = save(tmp_path / "llama", "llama")
    scorer = await ClusterScalarScorer.open(settings(model), stop=asyncio.Event(), traffic=Traffic())
    try:
        pairs = [pair(place, posts=place % 9) for place in range(400)]
        stop, found = asyncio.Event(), 0
        with pytest.raises(InterruptError):
            async for _ in scorer.score(pairs, stop):
                found += 1
                stop.set()
        assert 1 <= found < 200
        # None is still reading the model that goes.
        await asyncio.gather(*(place.ready for place in scorer._workers._places))
        # Whatever stands in for a lost worker finds other weights.
        shutil.rmtree(model)
        save(model, "llama", labels=2)
        killed = asyncio.Event()
        with pytest.raises(InputError, match=r"not the same on all nodes \(fingerprint is \w+ on \S+, \w+ on \S+\)"):
            for _ in range(50):
                async with aclosing(scorer.score(pairs, asyncio.Event())) as scores:
                    async for _ in scores:
                        if not killed.is_set():
                            killed.set()
                            ray.kill(scorer._workers._places[0].actor, no_restart=False)
    finally:
        await scorer.close()


async def test_where_there_are_gpus_a_worker_has_one_each(nodes: Nodes, model: Path) -> None:
    node = nodes.cluster.add_node(num_cpus=1, num_gpus=1, object_store_memory=100 * 2**20)
    nodes.cluster.wait_for_nodes()
    try:
        scorer = await ClusterScalarScorer.open(settings(model), stop=asyncio.Event(), traffic=Traffic())
        try:
            assert scorer._workers.count == 1
            assert not ray.available_resources().get("GPU")
            [found] = [each async for each in scorer.score([pair()], asyncio.Event())]
            assert found.reason is None
        finally:
            await scorer.close()
    finally:
        nodes.cluster.remove_node(node)
