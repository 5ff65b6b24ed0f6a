"""A line on stderr that says how far the work is: live in a terminal, else printed every half minute."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console
from rich.text import Text

Say = Callable[[str], None]

_LIVE, _LOGGED = 0.25, 30.0


@contextmanager
def live_line(line: Callable[[], str], console: Console) -> Iterator[None]:
    """Show what `line` says while the block runs; it may hold what a provider said, so it is plain text."""
    ended = threading.Event()
    live = console.is_terminal
    with console.status(Text(line())) if live else nullcontext() as status:

        def repeat() -> None:
            while not ended.wait(_LIVE if live else _LOGGED):
                if status:
                    status.update(Text(line()))
                else:
                    console.print(line(), markup=False, soft_wrap=True)

        thread = threading.Thread(target=repeat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
