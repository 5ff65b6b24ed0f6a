"""How far a run is, on stderr: one live line in a terminal, else a line every half minute."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from prbgen.generate import Tally

_LIVE, _LOGGED = 0.25, 30.0


@contextmanager
def showing(tally: Tally, console: Console) -> Iterator[None]:
    """Show how far the run is while the block runs."""
    ended = threading.Event()

    def repeat(show: Callable[[str], None], seconds: float) -> None:
        while not ended.wait(seconds):
            show(_line(tally))

    if console.is_terminal:
        with console.status("Reading the source ...") as status:
            thread = threading.Thread(target=repeat, args=(status.update, _LIVE), daemon=True)
            thread.start()
            try:
                yield
            finally:
                ended.set()
                thread.join()
    else:
        thread = threading.Thread(target=repeat, args=(console.print, _LOGGED), daemon=True)
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
