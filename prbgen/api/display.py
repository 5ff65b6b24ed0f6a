"""What a stage tells while it works."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

Line = Callable[[], str]

_LOG = logging.getLogger("prbgen")


class Display:
    """Where a stage tells how it goes. This one shows nothing and gives remarks to the logger "prbgen", as INFO:
    `logging.basicConfig(level="INFO")` shows them. Derive from it to show them otherwise.
    """

    def remark(self, text: str) -> None:
        """Something that the user should know: one sentence. It may come from another thread than the caller's."""
        _LOG.info("%s", text)

    def progress(self, line: Line) -> AbstractContextManager[None]:
        """Show how far the work is while the block runs: `line()` says it, from any thread, whenever it is asked."""
        return nullcontext()

    @contextmanager
    def saying(self, said: str) -> Iterator[Callable[[str], None]]:
        """The same for work that says itself what it is at; it begins with `said`."""

        def say(what: str) -> None:
            nonlocal said
            said = what

        with self.progress(lambda: said):
            yield say


QUIET = Display()
