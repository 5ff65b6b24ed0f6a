"""What commands show while they work: remarks and a live line, both on stderr."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager
from typing import Any

from prbgen.api.display import Display, Line


class Terminal(Display):
    """Shows what a stage tells on stderr."""

    def remark(self, text: str) -> None:
        """One line; it may hold what a provider said, so it is plain text."""
        from prbgen.terminal import stderr

        stderr().print(text, markup=False, soft_wrap=True)

    def progress(self, line: Line) -> AbstractContextManager[None]:
        """A live line."""
        from prbgen.cli.live_line import live_line
        from prbgen.terminal import stderr

        return live_line(line, stderr())


def as_keywords(arguments: argparse.Namespace, *but: str) -> dict[str, Any]:
    """The flags as keywords of the function that does the work, with a display for it; but for the action and what
    is about showing the result (`json`, and `but`). What was not given is left to the function.
    """
    given = {name: value for name, value in vars(arguments).items() if value is not None}
    given |= {name: dict(value) for name, value in given.items() if name.endswith("option")}
    return {name: value for name, value in given.items() if name not in ("action", "json", *but)} | {
        "display": Terminal()
    }
