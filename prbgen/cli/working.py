"""Work that takes long: a line that says how far it is, and Ctrl-C that stops it in good order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

T = TypeVar("T")
Say = Callable[[str], None]


def worked(work: Callable[[asyncio.Event, Say], Awaitable[T]], line: Callable[[], str]) -> T:
    """What `work(stop, say)` brings; keys of .env are at hand.

    Raises:
        KeyboardInterrupt: there was a second Ctrl-C.
        Exception: whatever the work raises.
    """
    from prbgen.cli.interrupts import run_until_interrupted
    from prbgen.cli.live_line import live_line
    from prbgen.llm.secrets import load_env_file
    from prbgen.terminal import stderr

    load_env_file()
    console, found = stderr(), list[T]()
    say = partial(console.print, markup=False, soft_wrap=True)

    async def until(stop: asyncio.Event) -> None:
        found.append(await work(stop, say))

    with live_line(line, console):
        run_until_interrupted(until, console)
    return found[0]
