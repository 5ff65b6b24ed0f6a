"""Child processes that end with this one, however it ends."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_GRACE = 10.0  # seconds to end in good order


@contextmanager
def child(
    python: Sequence[str],
    module: str,
    arguments: Sequence[str],
    *,
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `module` with a Python (its path, then flags), and end it when the block ends."""
    tether = Path(__file__).with_name("tether.py")
    process = subprocess.Popen(
        [*python, str(tether), module, *arguments],
        stdin=subprocess.PIPE,  # held open: the child ends when this process is gone
        stdout=stdout,
        stderr=stderr,
        env=environment,
        start_new_session=True,  # Ctrl-C is for us, who end the child in good order
    )
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        if process.poll() is None:
            process.terminate()
            process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        pass
    finally:  # also on a second Ctrl-C
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
