"""The folder in which an embedded Argilla server keeps its data: one server at a time, nobody else's files."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from prbgen.annotation.embedded.account import has_account
from prbgen.errors import InputError


@dataclass(frozen=True)
class Home:
    """Where one server lives."""

    folder: Path

    @property
    def log(self) -> Path:
        """What the server has printed since its latest start."""
        return self.folder / "server.log"

    @property
    def _lock(self) -> Path:
        return self.folder / "server.lock"

    @property
    def _holder(self) -> Path:
        return self.folder / "server.lock.owner"

    @property
    def _address(self) -> Path:
        return self.folder / "server.url"

    @contextmanager
    def announced(self, url: str) -> Iterator[None]:
        """Tell other processes where the server is, as long as the block lasts."""
        self._address.write_text(url, encoding="utf-8")
        try:
            yield
        finally:
            self._address.unlink(missing_ok=True)

    def running(self) -> str | None:
        """The address of the server that runs from this folder now, null if none does."""
        from filelock import FileLock, Timeout

        if not (self._lock.exists() and self._address.exists()):
            return None
        try:
            # One that was killed has left its address behind, but not its lock.
            with FileLock(self._lock, timeout=0):
                return None
        except Timeout:
            with suppress(FileNotFoundError):  # it has just ended
                return self._address.read_text(encoding="utf-8") or None  # empty while it is being written
            return None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Make the folder if it is new, readable by its owner alone, and keep it to this process.

        Raises:
            InputError: it holds something else, another process serves from it, or it cannot be written.
        """
        from filelock import FileLock, Timeout

        try:
            self._make()
            lock = FileLock(self._lock, timeout=0.5)  # `running` may hold it for an instant
            lock.acquire()
        except Timeout:
            raise InputError(f"{self.folder}: {self._who()} serves from this folder; stop it first") from None
        except OSError as error:
            what = error.strerror or error
            raise InputError(f"{self.folder}: cannot be used ({what}); name another folder with --home") from None
        try:
            # One that was killed has left it behind, and it would be taken for ours.
            self._address.unlink(missing_ok=True)
            self._holder.write_text(f"pid {os.getpid()} on {socket.gethostname()}", encoding="utf-8")
            yield
        finally:
            self._holder.unlink(missing_ok=True)
            lock.release()

    def _make(self) -> None:
        if not self.folder.is_dir():
            self.folder.mkdir(mode=0o700, parents=True)
        elif any(self.folder.iterdir()) and not (has_account(self.folder) or self._lock.exists()):
            raise InputError(
                f"{self.folder}: is neither empty nor the home of such a server; name another folder with --home"
            )
        else:
            # It may have been made by hand; the data are personal.
            self.folder.chmod(0o700)

    def _who(self) -> str:
        return self._holder.read_text(encoding="utf-8") if self._holder.exists() else "another process"
