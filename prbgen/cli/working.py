"""Work that takes long: a line that says how far it is, and Ctrl-C that stops it in good order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
Say = Callable[[str], None]


def worked(work: Callable[[asyncio.Event, Say], Awaitable[T]], line: Callable[[], str]) -> T:
    """What `work(stop, say)` brings; keys of .env are at hand.

    Raises:
        KeyboardInterrupt: there was a second Ctrl-C.
        Exception: whatever the work raises.
    """
    from prbgen.api.running import worked as worked_for
    from prbgen.cli.showing import Terminal

    return worked_for(work, line, Terminal())
