"""A Ray cluster of several nodes on this machine, whose nodes can be lost, and commands that run on it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.cluster_utils import Cluster

from prbgen.cluster.cluster import joined

_STORE = {"object_store_memory": 100 * 2**20}
# A node that is gone is lost within some seconds; by default that takes half a minute.
_HEALTH = {
    "health_check_initial_delay_ms": 1000, "health_check_period_ms": 500, "health_check_timeout_ms": 3000,
    "health_check_failure_threshold": 5,
}  # fmt: skip


@dataclass
class Nodes:
    """A head without a CPU, and nodes with one each."""

    cluster: Cluster
    nodes: list[Any] = field(default_factory=list)

    @property
    def address(self) -> str:
        """HOST:PORT."""
        return str(self.cluster.address)

    def fill_up(self, count: int) -> None:
        """Have so many nodes."""
        while len(self.nodes) < count:
            self.nodes.append(self.cluster.add_node(num_cpus=1, **_STORE))
        self.cluster.wait_for_nodes()

    @contextmanager
    def losing_one(self, when: Callable[[], bool]) -> Iterator[threading.Event]:
        """Kill a node as soon as `when` says so; the event is set then. It is there again after the block."""
        lost, over = threading.Event(), threading.Event()

        def watch() -> None:
            while not over.is_set():
                if when():
                    alive = _alive()
                    self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)
                    # Its workers outlive it by a moment: nobody is to take what they still say.
                    while _alive() >= alive and not over.is_set():
                        time.sleep(0.02)
                    lost.set()
                    return
                time.sleep(0.02)

        count = len(self.nodes)
        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield lost
        finally:
            over.set()
            thread.join()
            self.fill_up(count)


def _alive() -> int:
    return sum(node["Alive"] for node in ray.nodes())


@contextmanager
def nodes_of(count: int) -> Iterator[Nodes]:
    """A cluster of so many nodes that do work; this process is its driver, and so are commands in it."""
    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": _HEALTH, **_STORE}
    found = Nodes(Cluster(initialize_head=True, head_node_args=head))
    try:
        found.fill_up(count)
        with joined(found.address):
            yield found
    finally:
        found.cluster.shutdown()
