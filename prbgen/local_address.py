"""Where a server listens: its host and port, checked before anything is started."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass

from prbgen.errors import InputError


@dataclass(frozen=True)
class Address:
    """A host (name or number) and a TCP port."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """How a browser on this machine gets there."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - compared, not listened on
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine gets there."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def free_address(host: str, port: int) -> Address:
    """The address, if a server can listen there. Port 0: any free one.

    Raises:
        InputError: the port is in use or out of range, or the host is none of this machine's.
    """
    if not 0 <= port <= 65535:
        raise InputError(f"--port {port}: a port is a number from 0 to 65535")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            # As servers do: connections of an earlier one that are still closing are no obstacle.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
            # A port that is bound with the same option is told from a free one only now.
            probe.listen()
            return Address(host, probe.getsockname()[1])
    except socket.gaierror as error:
        raise InputError(f"--host {host}: {error.strerror}") from None
    except (OSError, UnicodeError) as error:
        what = getattr(error, "strerror", None) or error
        raise InputError(f"{host}:{port}: cannot listen there ({what}); name another --port or --host") from None
