"""Python processes of their own, for what a process can show only once: imports, signals, a death."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def python(code: str, *arguments: str, cwd: Path = ROOT, **environment: str) -> str:
    """What a new Python process prints that runs `code`."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=_environment(environment),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def start_python(code: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """A new Python process that runs `code`, with its stdout to read from."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=_environment(environment),
        stdout=subprocess.PIPE,
        text=True,
    )


def _environment(more: dict[str, str]) -> dict[str, str]:
    # The code under test, wherever the tests are started from.
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}
