"""A bound for the memory that a library takes on its own while it decodes what somebody else wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

_STATUS = Path("/proc/self/status")
_one_at_a_time = Lock()


@contextmanager
def bounded_memory(more: int) -> Iterator[None]:
    """Let this process have so many bytes more than it has now, while the block lasts: beyond that the library that
    asks is refused, and raises. On Linux; elsewhere nothing is bounded.
    """
    if not _STATUS.exists():
        yield
        return
    import resource

    with _one_at_a_time:
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = _data() + more
        if soft == resource.RLIM_INFINITY or wanted < soft:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data() -> int:
    """Bytes of private writable memory, which is what the limit counts."""
    found = re.search(r"VmData:\s*(\d+) kB", _STATUS.read_text(encoding="ascii", errors="replace"))
    return int(found[1]) * 1024 if found else 0
