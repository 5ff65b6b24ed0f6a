"""Where a server can listen."""

from __future__ import annotations

import socket

import pytest

from prbgen.errors import InputError
from prbgen.local_address import Address, free_address


def test_port_0_is_a_free_one() -> None:
    address = free_address("127.0.0.1", 0)
    assert address.port > 0
    assert free_address("127.0.0.1", address.port) == address


def test_a_port_in_use_is_refused_by_its_number() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"127.0.0.1:{port}: cannot listen there .*in use.*another --port"):
            free_address("127.0.0.1", port)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(InputError, match="from 0 to 65535"):
        free_address("127.0.0.1", port)


@pytest.mark.parametrize("host", ["203.0.113.1", "no such host", "x" * 70, ""])
def test_a_host_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(InputError, match="--host"):
        free_address(host, 0)


@pytest.mark.parametrize(
    ("host", "url", "loopback"),
    [
        ("127.0.0.1", "http://127.0.0.1:6900", True),
        ("localhost", "http://localhost:6900", True),
        ("::1", "http://[::1]:6900", True),
        ("0.0.0.0", "http://127.0.0.1:6900", False),
        ("::", "http://[::1]:6900", False),
        ("192.0.2.7", "http://192.0.2.7:6900", False),
        ("box.example", "http://box.example:6900", False),
    ],
)
def test_a_browser_is_told_where_to_go(host: str, url: str, loopback: bool) -> None:
    address = Address(host, 6900)
    assert (address.url, address.is_loopback) == (url, loopback)
