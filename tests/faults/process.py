"""prbgen as a process on a machine that is short of something."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.processes import ROOT

# No file may grow beyond so many bytes; what a run keeps free for replies in flight shrinks with it.
_SHORT_OF_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
if sys.argv.pop(1) == "warm":
    from prbgen.generation.check.language import _identifier
    _identifier()
most = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
import prbgen.llm.ledger.ledger as ledger
ledger._RESERVE = 4096
from prbgen.cli import main
sys.exit(main(sys.argv[2:]))
"""


def on_a_full_disk(most: int, *words: str | Path, warm: bool = False) -> subprocess.CompletedProcess[str]:
    """A command where no file may be larger than `most` bytes, as if the disk were full there.

    `warm`: what the checks of a pair unpack into a temporary file is there already.
    """
    line = [sys.executable, "-c", _SHORT_OF_DISK, "warm" if warm else "cold", str(most), *map(str, words)]
    return subprocess.run(
        line, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=300
    )
