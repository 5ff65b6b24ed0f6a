"""The folder that a server lives in: its database, the secret that signs logins, a lock, temporary files."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class HomeError(Exception):
    """The folder can't be used; the message says why and what to do."""


@contextmanager
def occupied(home: Path) -> Iterator[None]:
    """Makes `home` (for its owner's eyes only) if needed, and keeps other servers out of it.

    What Argilla leaves among the temporary files (14 MB at each start) is deleted at the end, or, after a kill, at the
    next start.

    Raises:
        HomeError: it can't be written to, or another server runs in it.
    """
    temporary = home / "tmp"
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (home / "lock").open("w")
    except OSError as error:
        raise HomeError(f"{home}: can't be written to ({error.strerror}); name another folder by --home") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise HomeError(
                f"{home}: a server runs in this folder already; stop it or name another by --home"
            ) from error
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(mode=0o700)
        tempfile.tempdir = str(temporary)
        try:
            yield
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def secret_of(home: Path) -> str:
    """The key that signs logins; made once, so that they outlive a restart."""
    file = home / "secret"
    if not file.exists():
        new = home / "tmp" / "secret"
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(secrets.token_hex(32))
            stream.flush()
            os.fsync(stream.fileno())
        new.rename(file)
    return file.read_text()
