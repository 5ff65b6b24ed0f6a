"""Start the real Argilla server on this machine, on SQLite, in an environment of its own that is made on first use.

It is made for about five raters at once and tens of thousands of records; annotation/compose.yaml deploys Argilla for
more. All data stay in one folder: the same command goes on with them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.errors import InputError
from prbgen.run import Run

if TYPE_CHECKING:
    from prbgen.annotation.embedded.account import Account
    from prbgen.annotation.embedded.home import Home
    from prbgen.local_address import Address


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`serve RUN [--home DIR] [--port N] [--host H]`."""
    parser.add_argument("run", metavar="RUN", type=Path, help="a run folder")
    parser.add_argument("--home", metavar="DIR", type=Path, help="the folder for its data (RUN/annotation/server)")
    parser.add_argument("--port", metavar="N", type=int, default=6900, help="%(default)s unless told; 0: any free one")
    parser.add_argument(
        "--host", metavar="H", default="127.0.0.1", help="where it listens (%(default)s: no other machine)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C. Returns 0."""
    from prbgen.annotation.embedded.account import account_of
    from prbgen.annotation.embedded.environment import environment
    from prbgen.annotation.embedded.home import Home
    from prbgen.annotation.embedded.server import Program, ended, serving
    from prbgen.annotation.server import home_of
    from prbgen.local_address import free_address
    from prbgen.resources import resource

    if sys.platform == "win32":
        raise InputError("the embedded server needs Linux or macOS; see annotation/compose.yaml for another way")
    place = Run.existing(arguments.run)
    home = Home(home_of(place, arguments.home))
    code = resource("annotation/server")
    with home.kept():
        # What may be wrong is found before the environment is made, which takes a minute.
        address = free_address(arguments.host, arguments.port)
        if not address.is_loopback:
            _say(
                f"warning: on {address.host} others can reach it, over plain HTTP: passwords and answers can be read on"
                " the way. Put a proxy with TLS in front of it"
            )
        account = account_of(home.folder)
        program = Program(environment(code / "requirements.txt", _say), code)
        _say("starting")
        with serving(program, home, address, account) as process, home.announced(address.url):
            try:
                _show(address, account, home)
                process.wait()
            except KeyboardInterrupt:
                _say("stopping")
                return 0
            raise ended(process, home, account)


def _show(address: Address, account: Account, home: Home) -> None:
    """What the owner of a server that now runs must know."""
    from prbgen.annotation.embedded.account import forget_password
    from prbgen.resources import resource

    print(f"Argilla is at {address.url}")
    print(f"  user      {account.name}")
    if account.password:
        print(f"  password  {account.password}  (shown this once: write it down)")
        # It goes only once it was really shown.
        sys.stdout.flush()
        forget_password(home.folder)
    print(f"  data      {home.folder}")
    print("Made for 5 raters at once and tens of thousands of records. When that gets too small:")
    print(f"{resource('annotation') / 'compose.yaml'} deploys the full Argilla;")
    print("prbgen uses any server that ARGILLA_API_URL and ARGILLA_API_KEY name.")
    print("Ctrl-C stops it; the same command goes on with the same data.", flush=True)


def _say(text: str) -> None:
    from prbgen.terminal import stderr

    stderr().print(text, soft_wrap=True, markup=False)
