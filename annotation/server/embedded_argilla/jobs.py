"""Argilla's background jobs without a Redis server: the queues in memory, the worker in a thread.

Argilla writes what people do in the request itself. A job counts anew which records have their answers when another
number is wanted (if a kill loses it, the next start counts), tells webhooks, imports from the Hub and exports to it.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

import fakeredis
import redis
from rq import SimpleWorker
from rq.timeouts import TimerDeathPenalty

_PAUSE = 0.5
_LOG = logging.getLogger(__name__)


def keep_queues_in_memory() -> None:
    """Makes Argilla's queues with a Redis of this process; call it before anything of Argilla's is imported."""
    server = fakeredis.FakeServer()
    connect = redis.from_url
    redis.from_url = lambda *_, **__: fakeredis.FakeRedis(server=server)
    try:
        import argilla_server.jobs.queues  # noqa: F401 (it connects when it is imported)
    finally:
        redis.from_url = connect


class _ThreadWorker(SimpleWorker):
    """RQ's worker that does the jobs itself, without what only a main thread may do: signals and alarms."""

    death_penalty_class = TimerDeathPenalty

    def _install_signal_handlers(self) -> None:
        pass


class JobThread:
    """Does the jobs until it is stopped."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)

    def start(self) -> None:
        """Begins to work."""
        self._thread.start()

    def stop(self) -> None:
        """Lets the job that is being done finish, for at most five seconds."""
        self._stopping.set()
        self._thread.join(timeout=5)

    def _work(self) -> None:
        from argilla_server.jobs.queues import DEFAULT_QUEUE, HIGH_QUEUE, REDIS_CONNECTION

        while not self._stopping.wait(_PAUSE):
            try:
                worker: Any = _ThreadWorker([HIGH_QUEUE, DEFAULT_QUEUE], connection=REDIS_CONNECTION)
                worker.work(burst=True, logging_level="WARNING")
            except Exception:
                _LOG.exception("the worker failed; it goes on with the next job")
