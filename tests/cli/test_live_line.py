"""The line that says how far the work is."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console

from prbgen.cli import live_line as module
from prbgen.cli.live_line import live_line


def test_it_is_printed_again_and_again_until_the_block_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOGGED", 0.01)
    shown = threading.Event()
    out = io.StringIO()
    count = 0

    def line() -> str:
        nonlocal count
        count += 1
        if count == 3:
            shown.set()
        return f"{count} done"

    with live_line(line, Console(file=out)):
        assert shown.wait(10)
    ended = count
    assert out.getvalue().splitlines() == [f"{number} done" for number in range(1, ended + 1)]


def test_in_a_terminal_it_stands_there_at_once_and_is_gone_afterwards() -> None:
    out = io.StringIO()
    with live_line(lambda: "Reading ...", Console(file=out, force_terminal=True)):
        pass
    assert "Reading ..." in out.getvalue()
    assert not any(thread.name.endswith("(repeat)") for thread in threading.enumerate())
