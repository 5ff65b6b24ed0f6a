"""Where the work is done: here, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from prbgen.errors import InputError

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster


@contextmanager
def cluster_of(address: str | None, say: Callable[[str], None] | None = None) -> Iterator[Cluster | None]:
    """The cluster at an address, while the block runs; null: none is asked for, and Ray is not imported.

    Of clusters that run here "auto" takes any, so `say` is told which one.

    Raises:
        MissingExtraError: Ray is not installed.
        InputError: there is no cluster that can be used.
    """
    if address is None:
        yield None
        return
    if not isinstance(address, str):
        raise InputError(f"ray: should be an address, as text, and is of type {type(address).__name__}")
    from prbgen.cluster.cluster import joined
    from prbgen.llm.secrets import load_env_file

    load_env_file()  # RAY_AUTH_TOKEN may be there
    with joined(address) as cluster:
        if say and address == "auto":
            say(f"--ray auto: on the cluster at {cluster.address}")
        yield cluster
