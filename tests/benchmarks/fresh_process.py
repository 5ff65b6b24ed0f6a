"""Runs a script of this folder in a fresh Python, which sees this checkout's prbgen, and takes what it prints."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ended:
    """A process that has ended: when it began (time.monotonic), how long it took (seconds), and what it printed last.

    `record` is null if it did not end by itself with a JSON object; then `remarks` are the last lines of its errors.
    """

    begun: float
    seconds: float
    record: dict[str, Any] | None
    remarks: str = ""


def attempt(
    script: str,
    *arguments: object,
    python: Path | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> Ended:
    """Run a script, in another environment if need be; it and all that it started end after so many seconds."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [str(python or sys.executable), str(Path(__file__).with_name(script)), *map(str, arguments)]
    # Another environment must not see the packages of this one.
    environment = {**os.environ, **(env or {})} | ({} if python else {"PYTHONPATH": path})
    begun = time.monotonic()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        out, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        out, errors = "", f"{script} was still at it after {seconds:g} s"
    except BaseException:
        _end(process)
        raise
    took = time.monotonic() - begun
    *_, last = out.splitlines() or [""]
    if process.returncode == 0 and last.startswith("{"):
        return Ended(begun, took, json.loads(last))
    return Ended(begun, took, None, "\n".join((out + errors).splitlines()[-20:]))


def fresh(script: str, *arguments: object) -> Ended:
    """Run a script that must not fail."""
    ended = attempt(script, *arguments)
    if ended.record is None:
        raise SystemExit(f"{script} failed:\n{ended.remarks}")
    return ended


def record_of(script: str, *arguments: object) -> dict[str, Any]:
    """What a script that must not fail prints last."""
    record = fresh(script, *arguments).record
    assert record is not None
    return record


def _end(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
