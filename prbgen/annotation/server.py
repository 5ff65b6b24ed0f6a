"""Which Argilla a campaign is on: the one that the environment names, or the run's own."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from prbgen.annotation.embedded.account import account_of
from prbgen.annotation.embedded.home import Home
from prbgen.errors import InputError
from prbgen.llm.secrets import load_env_file
from prbgen.run import Run

URL, KEY = "ARGILLA_API_URL", "ARGILLA_API_KEY"


@dataclass(frozen=True)
class Server:
    """Where an Argilla is, and a key that it takes."""

    url: str
    key: str = field(repr=False)


def server_of(run: Run, home: Path | None = None) -> Server:
    """The server of a run: `home`, the folder of an embedded one, if given; else what ARGILLA_API_URL and
    ARGILLA_API_KEY say, also in .env; else the embedded one in RUN/annotation/server.

    Raises:
        InputError: there is none.
    """
    load_env_file()
    url, key = os.environ.get(URL, "").strip(), os.environ.get(KEY, "").strip()
    if home is None and (url or key):
        if not (url and key):
            raise InputError(f"{KEY if url else URL}: not set, though {URL if url else KEY} is; Argilla needs both")
        return Server(url.rstrip("/"), key)
    folder = home_of(run, home)
    if (running := Home(folder).running()) is None:
        flag = f" --home {home}" if home else ""
        raise InputError(
            f"no Argilla runs in {folder}: start one by `prbgen annotate serve {run.folder}{flag}` in another terminal,"
            f" or name yours by {URL} and {KEY}"
        )
    return Server(running, account_of(folder).api_key)


def home_of(run: Run, home: Path | None = None) -> Path:
    """The folder of the run's embedded server."""
    return (home or run.annotation / "server").absolute()
