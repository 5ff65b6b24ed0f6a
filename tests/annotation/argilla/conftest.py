"""Connections to the real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from prbgen.annotation.argilla.connection import Connection, connect
from tests.annotation.argilla.faulty import Faulty
from tests.annotation.server.embedded import API_KEY, Server


@pytest.fixture
def owner(server: Server) -> Iterator[Connection]:
    """A connection as the server's owner."""
    with connect(server.url, API_KEY) as connection:
        yield connection


@pytest.fixture
def faulty(server: Server) -> Iterator[Faulty]:
    """Something in front of the server that can be told to go wrong."""
    with Faulty(server.url) as between:
        yield between
