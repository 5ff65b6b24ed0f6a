"""Models in workers: one on each GPU of a cluster, or one on each node; the same one everywhere."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.cluster.version import refuse_other_version
from prbgen.errors import InputError, PrbgenError

if TYPE_CHECKING:
    from prbgen.cluster.workers import Workers

# What was lost so often with its worker is what ends them.
_LOSSES = 4


@dataclass(frozen=True)
class Room:
    """So many workers that hold a model, with so many `cpus` and `gpus` each."""

    count: int
    cpus: float
    gpus: float


def room_of(nodes: list[Mapping[str, float]], *, on_cpu: bool = False) -> Room:
    """Room for models on nodes with such resources (CPU, GPU): one a GPU, if there are any and they are not meant to be
    `on_cpu`. Else one a node, with as many CPUs as each of them has; nodes with less than half the CPUs of the largest
    are left out, as it would be their few threads that all others would have.

    Raises:
        InputError: there is none.
    """
    with_gpus = [] if on_cpu else [node for node in nodes if node.get("GPU", 0) >= 1]
    if with_gpus:
        # A node may have fewer CPUs than GPUs, and Ray hands out four decimals.
        cpus_each = min(node.get("CPU", 0) / int(node["GPU"]) for node in with_gpus)
        return Room(sum(int(node["GPU"]) for node in with_gpus), min(1, floor(cpus_each * 1000) / 1000), 1)
    cpus = [int(node.get("CPU", 0)) for node in nodes]
    large = [each for each in cpus if each and each >= max(cpus) / 2]
    if not large:
        raise InputError("--ray: the cluster has no CPU for a model")
    return Room(len(large), min(large), 0)


def room_here(on_cpu: bool = False) -> Room:
    """The room on the cluster that this process is a driver of.

    Raises:
        InputError: there is none.
    """
    import ray

    return room_of([node["Resources"] for node in ray.nodes() if node["Alive"]], on_cpu=on_cpu)


def hub_access() -> dict[str, str]:
    """The variables that let another machine fetch what this one may. They hold a key: for memory alone."""
    from huggingface_hub import get_token

    found = {"HF_TOKEN": get_token(), "HF_ENDPOINT": os.environ.get("HF_ENDPOINT")}
    return {name: value for name, value in found.items() if value}


def anywhere(model: str) -> str:
    """A file or folder by its whole path, as workers have another working folder; a name on the Hub as it is."""
    path = Path(model).expanduser()
    return str(path.absolute()) if path.exists() else model


@dataclass(frozen=True)
class Kin:
    """What must be the same of a model wherever it runs, by name, and the node that says so."""

    node: str
    traits: Mapping[str, str]

    @classmethod
    def here(cls, *, device: str, **traits: str) -> Kin:
        """As it is in this process. GPUs of unlike make round unlike, so that a GPU is its make, too."""
        if device == "cuda":
            import torch

            device = f"{device} ({torch.cuda.get_device_name()})"
        return cls(platform.node(), {"device": device, **traits})

    def refuse_other(self, model: str, first: Kin) -> None:
        """See that it is as where it was `first` ready.

        Raises:
            InputError: it is not; says where, and in what.
        """
        for name, here in self.traits.items():
            if here != (there := first.traits.get(name)):
                raise InputError(
                    f"{model}: not the same on all nodes ({name} is {there} on {first.node}, {here} on {self.node});"
                    " give all of them the same files (large ones with the same time), devices and packages"
                )


@contextmanager
def prepared_here(version: str, environment: Mapping[str, str]) -> Iterator[None]:
    """Make a model ready in a worker: with what the driver hands over; what goes wrong names the node.

    Raises:
        InputError: another `version` of prbgen is installed here than the driver's, or whatever is raised within.
    """
    refuse_other_version(version)
    os.environ.update(environment)
    try:
        yield
    except PrbgenError as error:
        raise InputError(f"node {platform.node()}: {error}") from None


async def asked_of(workers: Workers, stop: asyncio.Event, method: str, *args: Any) -> Any:
    """What a method of some worker returns; asked of another one where a worker is lost.

    Raises:
        InterruptError: `stop` is set before a worker is free.
        LostWorkerError: the workers were lost so often that this is what ends them.
        Exception: whatever the method, or making a model ready, raises.
    """
    from prbgen.cluster.place import LostWorkerError

    for _ in range(_LOSSES):
        try:
            return await workers.call(stop, method, *args)
        except LostWorkerError as error:
            lost = error
    raise LostWorkerError(f"its worker was lost {_LOSSES} times: {lost}")
