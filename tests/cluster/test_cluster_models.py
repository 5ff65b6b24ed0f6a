"""Where models go on a cluster, and what a node must have to hold one."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from prbgen import __version__
from prbgen.cluster.cluster import Cluster
from prbgen.cluster.models import Kin, Room, prepared_here, room_of
from prbgen.errors import InputError, ModelError
from prbgen.evaluation.scorers import open_scorer
from prbgen.evaluation.settings import Kind, ScorerSettings
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic


@pytest.mark.parametrize(
    ("nodes", "room"),
    [
        ([{"CPU": 8.0, "GPU": 4.0}, {"CPU": 32.0, "GPU": 2.0}, {"CPU": 4.0}], Room(6, 1, 1)),
        # The CPUs of a node must do for all of its GPUs.
        ([{"CPU": 3.0, "GPU": 8.0}, {"CPU": 32.0, "GPU": 1.0}], Room(9, 0.375, 1)),
        ([{"CPU": 8.0}, {"CPU": 8.0}], Room(2, 8, 0)),
        # A head that does no work; nodes of unlike size; one that is too small to set the pace.
        ([{"GPU": 0.0}, {"CPU": 16.0}, {"CPU": 12.0}, {"CPU": 2.0}], Room(2, 12, 0)),
    ],
)
def test_a_model_goes_to_each_gpu_or_else_to_each_node(nodes: list[Any], room: Room) -> None:
    assert room_of(nodes) == room


def test_models_that_are_meant_to_be_on_cpus_leave_gpus_alone() -> None:
    assert room_of([{"CPU": 8.0, "GPU": 4.0}], on_cpu=True) == Room(1, 8, 0)


def test_a_cluster_without_a_cpu_is_refused() -> None:
    with pytest.raises(InputError, match="no CPU for a model"):
        room_of([{"memory": 9e9}])


def test_what_differs_between_nodes_is_named_with_both() -> None:
    first = Kin("one", {"device": "cuda", "torch": "2.9", "fingerprint": "aa"})
    Kin("two", dict(first.traits)).refuse_other("m", first)
    with pytest.raises(InputError, match=r"^m: not the same on all nodes \(torch is 2\.9 on one, 2\.8 on two\)"):
        Kin("two", {**first.traits, "torch": "2.8"}).refuse_other("m", first)


def test_another_version_of_prbgen_is_refused_and_other_faults_name_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    other, broken = r"^node \S+ has prbgen \S+, but the driver has 0\.0\.1: install the same", r"^node \S+: broken$"
    with pytest.raises(InputError, match=other), prepared_here("0.0.1", {"HF_ENDPOINT": "http://h"}):
        raise AssertionError
    assert "HF_ENDPOINT" not in os.environ
    monkeypatch.setenv("HF_ENDPOINT", "")
    with pytest.raises(InputError, match=broken), prepared_here(__version__, {"HF_ENDPOINT": "http://h"}):
        assert os.environ["HF_ENDPOINT"] == "http://h"
        raise ModelError("broken")


@pytest.mark.parametrize("kind", ["http", "pooling"])
async def test_a_server_is_asked_without_a_cluster(kind: Kind) -> None:
    settings = ScorerSettings(kind, "http://127.0.0.1:1/score")
    async with AsyncExitStack() as stack:
        with pytest.raises(InputError, match=rf"^--ray says nothing to a {kind} scorer: its server does the work"):
            await open_scorer(
                settings, Prompts(), Path("none"), stack,
                stop=asyncio.Event(), traffic=Traffic(), say=print, cluster=Cluster("auto"),
            )  # fmt: skip
