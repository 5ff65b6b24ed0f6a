"""The Python environment that Argilla's server runs in: made on first use, then found in the user's cache."""

from __future__ import annotations

import hashlib
import importlib.util
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from prbgen.annotation.embedded.child import child
from prbgen.errors import InputError, PrbgenError
from prbgen.llm.transports.weights import cache_folder

Say = Callable[[str], None]

_PIP = (
    "install",
    "--only-binary=:all:",  # what would have to be built first fails at once, with a clear word
    "--no-compile",  # Python compiles what is used when it is first used: 10 s less, 120 MB less
    "--disable-pip-version-check",
    "--no-input",
    "--no-user",
    "--progress-bar=off",
)
_PATIENCE = ("--retries=2", "--timeout=20")  # seconds of silence
_BETWEEN = 5.0  # seconds from one line of progress to the next
_FETCHES = ("Collecting ", "Processing ")  # how pip's lines begin, one for each package
_NO_NETWORK = ("NewConnectionError", "NameResolutionError", "ConnectTimeout", "ReadTimeout", "ProxyError")
_DISK_FULL = "No space left on device"


def environment(requirements: Path, say: Say) -> Path:
    """The Python of an environment with all that `requirements` asks for, a file as pip reads it.

    It lies in the user's cache, or in the folder that PRBGEN_CACHE names, under a name made from the file's text and
    the version of this Python: another text, another environment. Making it takes a minute or two; `say` gets a line
    now and then. One that was interrupted is made anew. Of several processes, one makes it and the others wait.

    Raises:
        InputError: the file cannot be read.
        PrbgenError: the environment cannot be made (no network, no room, a package that pip cannot install).
    """
    folder = cache_folder() / "argilla" / _name(requirements)
    python = folder / "bin" / "python"
    if not _finished(folder, python):
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with _alone(folder, say):
                if not _finished(folder, python):
                    _make(folder, python, requirements, say)
        except OSError as error:
            raise PrbgenError(_failed(folder, error.strerror or str(error))) from None
    return python


def _name(requirements: Path) -> str:
    try:
        text = requirements.read_bytes()
    except OSError as error:
        raise InputError(f"{requirements}: {error.strerror or error}") from None
    return hashlib.sha256(text + b"\0" + platform.python_version().encode()).hexdigest()[:16]


def _marker(folder: Path) -> Path:
    return folder / "finished"


def _finished(folder: Path, python: Path) -> bool:
    # A Python that was uninstalled since leaves a link to nothing, which does not exist.
    return _marker(folder).exists() and python.exists()


@contextmanager
def _alone(folder: Path, say: Say) -> Iterator[None]:
    """Hold the lock of `folder`; the system lets go when the process ends, however it ends."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder.with_suffix(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        say("waiting for another process to make the environment of Argilla's server")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _make(folder: Path, python: Path, requirements: Path, say: Say) -> None:
    # Debian ships Python without it.
    if importlib.util.find_spec("ensurepip") is None:
        raise PrbgenError(
            _failed(folder, "this Python lacks ensurepip; install it (on Debian and Ubuntu: python3-venv)")
        )
    say(f"making the environment of Argilla's server in {folder} (once; a minute or two)")
    shutil.rmtree(folder, ignore_errors=True)
    start = time.monotonic()
    for program, module, *words in (
        (sys.executable, "venv", str(folder)),
        (str(python), "pip", *_PIP, *_PATIENCE, f"--requirement={requirements}"),
    ):
        lines = _run(program, module, words, say)
        if lines is not None:
            shutil.rmtree(folder, ignore_errors=True)
            raise PrbgenError(_failed(folder, _reason(lines)))
    _marker(folder).touch()
    say(f"made after {time.monotonic() - start:.0f} s")


def _run(program: str, module: str, words: list[str], say: Say) -> list[str] | None:
    """Run a module, and say what it is busy with. Returns what it printed if it failed, else null."""
    lines: list[str] = []
    packages, last = 0, time.monotonic()
    with child([program, "-I"], module, words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for raw in cast("IO[bytes]", process.stdout):
            line = raw.decode(errors="replace").strip()
            lines.append(line)
            packages += line.startswith(_FETCHES)
            if line.startswith("Installing collected packages"):
                say(f"installing {packages} packages")
            elif line.startswith(_FETCHES) and time.monotonic() - last >= _BETWEEN:
                last = time.monotonic()
                say(f"fetched {packages} packages so far")
        return lines if process.wait() else None


def _reason(lines: list[str]) -> str:
    """Why it failed, out of what it printed."""
    if any(_DISK_FULL in line for line in lines):
        return "the disk is full"
    if any(name in line for line in lines for name in _NO_NETWORK):
        return "no package index can be reached; is there a network?"
    told = [line for line in lines if line]
    errors = [line.removeprefix("ERROR: ") for line in told if line.startswith("ERROR: ")]
    return (errors or told or ["it ended without a word"])[-1]


def _failed(folder: Path, reason: str) -> str:
    return (
        f"{folder}: the environment of Argilla's server cannot be made: {reason}. Run the same command again once that"
        " is mended (PRBGEN_CACHE names another folder), or use a server that ARGILLA_API_URL and ARGILLA_API_KEY name"
    )
