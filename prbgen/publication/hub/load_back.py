"""What came onto the Hub, fetched by a fresh reader and compared with what was sent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from prbgen.errors import FellShortError, InputError
from prbgen.publication.hub.client import Client
from prbgen.publication.hub.faults import GOES_ON
from prbgen.publication.hub.files import Here, changes

# Places of the user's own, which the client prefers to those in HF_HOME.
_LEFT_OUT = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_XET_CACHE", "HF_DATASETS_CACHE", "HF_MODULES_CACHE")
_SHOWN = 3


def check_files(client: Client, files: Iterable[Here], commit: str) -> None:
    """Compare the list of files and all hashes.

    Raises:
        FellShortError: a commit has others.
    """
    if differing := changes(files, client.files(commit)):
        raise FellShortError(f"{client.repo}: the commit does not hold the files that were sent: {differing}")


def load_back(folder: Path, client: Client, commit: str) -> None:
    """Load every config and split with `datasets`, from the Hub and from the folder, and compare them row by row.

    A process of its own does it, since `huggingface_hub` takes its caches from the environment when it is imported.

    Raises:
        FellShortError: they differ, or what is on the Hub cannot be loaded.
        InputError: the folder itself cannot be loaded, or the disk is full.
    """
    with TemporaryDirectory(prefix="prbgen-load-back-") as home:
        result = subprocess.run(
            [sys.executable, "-m", "prbgen.publication.hub.reader", client.repo, commit, str(folder.resolve()), home],
            env=_environment(home, client),
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
    _judge(client.repo, result)


def _environment(home: str, client: Client) -> dict[str, str]:
    ours = {
        "HF_HOME": home,
        "HF_TOKEN": client.token,
        "HF_ENDPOINT": client.endpoint,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    return {name: value for name, value in os.environ.items() if name not in _LEFT_OUT} | ours


def _judge(repo: str, result: subprocess.CompletedProcess[str]) -> None:
    last = (result.stdout.splitlines() or [""])[-1]
    try:
        answer = json.loads(last)
    except ValueError:
        said = (result.stderr.strip().splitlines() or [f"exit code {result.returncode}"])[-1]
        raise InputError(f"{repo}: it could not be loaded back: {said}; {GOES_ON}") from None
    if fault := answer["fault"]:
        raise InputError(f"{repo}: it could not be loaded back: {fault}")
    if found := answer["differences"]:
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise FellShortError(f"{repo}: what comes back is not what was sent: {'; '.join(found[:_SHOWN])}{more}")
