"""The embedded Argilla for the tests: its environment is made once and kept, a server is started for each session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prbgen.annotation.embedded.environment import environment
from prbgen.errors import PrbgenError
from tests.annotation.server.embedded import SERVER, Server

# So that the parts of the server that need no Argilla can be tested in this process.
sys.path.insert(0, str(SERVER))


@pytest.fixture(scope="session")
def argilla_python() -> Path:
    """The Python of the server's environment, as `prbgen annotate serve` makes it and keeps it in the user's cache.

    PRBGEN_TEST_ARGILLA names a ready one.
    """
    if ready := os.environ.get("PRBGEN_TEST_ARGILLA"):
        return Path(ready)
    try:
        return environment(SERVER / "requirements.txt", print)
    except PrbgenError as error:
        if "network" in str(error):
            pytest.skip(str(error))
        raise


@pytest.fixture(scope="session")
def server(argilla_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server that all tests of a session share; each makes a workspace of its own in it."""
    running = Server(argilla_python, tmp_path_factory.mktemp("argilla") / "home").start()
    yield running
    running.stop()
