"""How far a run is, on stderr: one live line in a terminal, else a line every half minute."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console

from prbgen.generate import Tally

_LIVE, _LOGGED = 0.25, 30.0


@contextmanager
def showing(tally: Tally, console: Console) -> Iterator[None]:
    """Show how far the run is while the block runs."""
    ended = threading.Event()
    live = console.is_terminal
    with console.status("Reading the source ...") if live else nullcontext() as status:
        show = status.update if status else console.print

        def repeat() -> None:
            while not ended.wait(_LIVE if live else _LOGGED):
                show(_line(tally))

        thread = threading.Thread(target=repeat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def _line(tally: Tally) -> str:
    calls = tally.calls
    return (
        f"{tally.pairs} pairs, {tally.rejects} rejected; "
        f"{calls.sent} calls sent, {calls.recorded} replies taken from the ledger"
    )
