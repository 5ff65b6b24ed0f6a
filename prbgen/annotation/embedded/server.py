"""An embedded Argilla server: the code under annotation/server/, in an environment of its own, as our child process."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prbgen.annotation.embedded.account import Account
from prbgen.annotation.embedded.child import child
from prbgen.annotation.embedded.home import Home
from prbgen.errors import PrbgenError
from prbgen.local_address import Address

MODULE = "embedded_argilla"
READY = "ready "  # how the line begins that the server prints once it answers
PATIENCE = 180.0  # seconds; on a slow disk most of them go into importing
_OWNER = "EMBEDDED_ARGILLA_"  # how the variables begin that tell the server of its owner
_TOLD = 3  # lines of the log that an error shows
_BYTES = 20_000  # of the log that are looked at for these


@dataclass(frozen=True)
class Program:
    """What to run: a Python with all that the server needs, and the folder that holds the module."""

    python: Path
    code: Path


@contextmanager
def serving(
    program: Program, home: Home, address: Address, account: Account, patience: float = PATIENCE
) -> Iterator[subprocess.Popen[bytes]]:
    """Start the server and wait until it answers; it ends with the block, and with this process in any case.

    `home` must be kept (see Home.kept). What the server prints goes to the log there. `patience` is in seconds.

    Raises:
        PrbgenError: it ended, or did not get ready in time.
    """
    words = ["--home", str(home.folder), "--host", address.host, "--port", str(address.port)]
    with home.log.open("wb") as log:
        running = child(
            [str(program.python), "-P"],
            MODULE,
            words,
            stdout=log,
            stderr=subprocess.STDOUT,
            environment=_environment(program, account),
        )
        with running as process:
            _wait_until_ready(process, home, account, time.monotonic() + patience)
            yield process


def ended(process: subprocess.Popen[bytes], home: Home, account: Account) -> PrbgenError:
    """What to say about a server that ended by itself."""
    return PrbgenError(f"Argilla's server ended with code {process.returncode}: {_told(home, account)}")


def _wait_until_ready(process: subprocess.Popen[bytes], home: Home, account: Account, give_up: float) -> None:
    with home.log.open(encoding="utf-8", errors="replace") as log:
        while True:
            # Before the log is read: what it printed last must not be missed.
            gone = process.poll() is not None
            if any(line.startswith(READY) for line in log):
                return
            if gone:
                raise ended(process, home, account)
            if time.monotonic() > give_up:
                raise PrbgenError(f"Argilla's server did not get ready in time: {_told(home, account)}")
            time.sleep(0.05)


def _told(home: Home, account: Account) -> str:
    """The last lines of its log, without anything secret."""
    text = home.log.read_bytes()[-_BYTES:].decode(errors="replace")
    lines = [line.strip() for line in account.hide_in(text).splitlines() if line.strip()]
    return f"{' | '.join(lines[-_TOLD:]) or 'it printed nothing'} (all of it: {home.log})"


def _environment(program: Program, account: Account) -> dict[str, str]:
    """This process's variables, without those that would turn the server into another one."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("ARGILLA_", "UVICORN_", "PYTHON"))
    }
    kept |= {"PYTHONPATH": str(program.code), "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
    if account.password is not None:  # else the server has its owner, and needs no more
        kept |= {f"{_OWNER}USERNAME": account.name, f"{_OWNER}PASSWORD": account.password}
        kept[f"{_OWNER}API_KEY"] = account.api_key
    return kept
