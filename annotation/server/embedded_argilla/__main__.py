"""`python -m embedded_argilla --home DIR [--host HOST] [--port N]`: see `--help`."""

from __future__ import annotations

import argparse
import signal
import socket
import sys
from pathlib import Path

from . import owner
from .home import HomeError, occupied


def main() -> int:
    """Runs the server until it is told to stop; returns the exit status."""
    arguments = _arguments()
    # Whoever stops us by SIGTERM gets the same orderly end as by Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        wanted = owner.from_environment()
        with _listening(arguments.host, arguments.port) as listener, occupied(arguments.home):
            from .serve import serve

            serve(arguments.home, listener, wanted)
    except (HomeError, owner.OwnerError, _AddressError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        pass
    return 0


class _AddressError(Exception):
    """The address can't be listened at."""


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        reason = error.strerror or error
        raise _AddressError(f"can't listen at {host}:{port} ({reason}); name another --host or --port") from error


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="embedded_argilla",
        description="The real Argilla server on SQLite, as one process. Prints 'ready URL' when it can be used.",
        epilog=f"The first start takes the owner's account from {owner.USERNAME}, {owner.PASSWORD}, {owner.API_KEY}.",
    )
    option = parser.add_argument
    option("--home", type=lambda text: Path(text).absolute(), required=True, help="the folder for the data")
    option("--host", default="127.0.0.1", help="where to listen; 0.0.0.0 lets the network in (%(default)s)")
    option("--port", type=int, default=6900, help="0 takes a free one (%(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
