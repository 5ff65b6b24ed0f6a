"""A Ray cluster that this process is a driver of."""

from __future__ import annotations

import os
import re
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ray
import ray._private.worker

from prbgen.errors import InputError
from prbgen.text import one_line

# What Ray would otherwise do of itself: call home, and warn of what is not asked for here.
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
# Workers of a cluster that we start do what this process would do: by default they give way to all else.
_AS_OURS = {"RAY_worker_niceness": "0"}
# A driver that hears nothing from the head is ended by Ray, without a word of ours: after a day, not a minute. Calls to
# workers that are there go on without it.
_PATIENT = {"RAY_gcs_rpc_server_reconnect_timeout_s": "86400"}
_ADDRESS = re.compile(r"(?P<client>ray://)?\[?(?P<host>[^/\s\[\]]+)\]?:(?P<port>\d{1,5})")
# Seconds for a host to answer at all; Ray itself would try for longer.
_REACHED = 10.0


@dataclass(frozen=True)
class Cluster:
    """Its `address`: HOST:PORT, or ray://HOST:PORT."""

    address: str


def _hold_its_tongue() -> None:
    """Ray prints on stdout, where results are, that a worker was lost, whatever it is told of logs."""
    if hasattr(ray._private.worker, "print_to_stdstream"):
        ray._private.worker.print_to_stdstream = lambda *_, **__: None


@contextmanager
def joined(address: str) -> Iterator[Cluster]:
    """Be a driver of the cluster at an address: "auto" (one that runs here), "local" (started here, and stopped after
    use), HOST:PORT, or ray://HOST:PORT. A process that is a driver already (a notebook) stays one.

    Raises:
        InputError: there is none, it has another version of Ray or Python, or this process is a driver of another one.
    """
    if ray.is_initialized():
        _refuse_another(address)
        yield Cluster(_place(address))
        return
    _refuse_unreachable(address)
    for name, value in (_QUIET | _PATIENT | _AS_OURS).items():
        os.environ.setdefault(name, value)
    _hold_its_tongue()
    local: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    try:
        with _signals_kept():
            ray.init(address, namespace="prbgen", log_to_driver=False, logging_level="error", **local)
    except (ConnectionError, RuntimeError, ValueError, AssertionError, TimeoutError) as error:
        raise _no_cluster(address, one_line(str(error), 300) or type(error).__name__) from None
    try:
        yield Cluster(_place(address))
    finally:
        ray.shutdown()


def _place(address: str) -> str:
    return address if address.startswith("ray://") else str(ray.get_runtime_context().gcs_address)


def _no_cluster(address: str, why: str) -> InputError:
    return InputError(f"--ray {address}: no cluster that can be used ({why}); `ray start --head` begins one")


def _parts(address: str) -> re.Match[str]:
    if found := _ADDRESS.fullmatch(address):
        return found
    raise InputError(f"--ray {address!r}: no such address; it is auto, local, HOST:PORT or ray://HOST:PORT")


def _refuse_unreachable(address: str) -> None:
    if address in ("auto", "local"):
        return
    parts = _parts(address)
    try:
        socket.create_connection((parts["host"], int(parts["port"])), _REACHED).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, str(error)) from None


def _refuse_another(address: str) -> None:
    if address in ("auto", "local"):
        return
    parts, at = _parts(address), str(ray.get_runtime_context().gcs_address)
    if parts["client"]:
        same = ray.util.client.ray.is_connected()
    else:
        host, _, port = at.rpartition(":")
        same = port == parts["port"] and _ips(parts["host"]) & (_ips(host) | {"127.0.0.1"}) != set()
    if not same:
        raise InputError(f"--ray {address}: this process is a driver of the cluster at {at}; ray.shutdown() ends that")


def _ips(host: str) -> set[str]:
    try:
        return {str(found[4][0]) for found in socket.getaddrinfo(host, None)}
    except OSError:
        return {host}


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Ray takes over the signals of a driver, which are ours; only the main thread has any."""
    main = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM) if main}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # one that Python did not set cannot be set by it
                signal.signal(number, handler)
