"""Setting the stage for argilla-server in this process, and running it."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from . import owner
from .database import is_unused, prepare, tidy
from .home import secret_of
from .jobs import JobThread, keep_queues_in_memory

# Argilla's page fetches fonts from a company that so learns who rates, and when.
_NOTHING_FROM_ELSEWHERE = (
    "Content-Security-Policy",
    "style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data: blob:; connect-src 'self'",
)


def serve(home: Path, listener: socket.socket, wanted: owner.Owner | None) -> None:
    """Migrates the database in `home`, makes the owner if there is none, and serves until a signal comes.

    Raises:
        owner.OwnerError: a first start without an owner.
        HomeError: the database is damaged.
    """
    database = home / "argilla.db"
    if is_unused(database):
        if wanted is None:
            raise owner.OwnerError(owner.MISSING)
        for left in home.glob("argilla.db*"):
            left.unlink()
    _configure(home, database)
    keep_queues_in_memory()
    from argilla_server.cli.database.migrate import migrate_db

    from . import engine  # noqa: F401 (registers itself)

    with _quietly():
        migrate_db("head")
    prepare(database)
    asyncio.run(owner.ensure(wanted))
    jobs = JobThread()
    jobs.start()
    try:
        _run(listener)
    finally:
        jobs.stop()
        tidy(database)


def _configure(home: Path, database: Path) -> None:
    """Argilla reads its settings from the environment, when it is imported. None of ours is left to chance."""
    for name in [name for name in os.environ if name.startswith("ARGILLA_")]:
        del os.environ[name]
    os.environ |= {
        "ARGILLA_HOME_PATH": str(home),
        "ARGILLA_DATABASE_URL": f"sqlite+aiosqlite:///{database}?check_same_thread=False",
        "ARGILLA_SEARCH_ENGINE": "sqlite",
        "ARGILLA_AUTH_SECRET_KEY": secret_of(home),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "DO_NOT_TRACK": "1",
    }


@contextmanager
def _quietly() -> Iterator[None]:
    """Only warnings are heard. Argilla's migration configures logging anew, so levels set before it would not last."""
    logging.disable(logging.INFO)
    try:
        with redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)


def _run(listener: socket.socket) -> None:
    import uvicorn
    from argilla_server._app import app

    host, port = listener.getsockname()[:2]

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                print(f"ready http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)

    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=5, headers=[_NOTHING_FROM_ELSEWHERE]
    )
    Server(config).run(sockets=[listener])
