"""Puts the help of every command into reference/commands.md as the site is built, so that none is copied by hand."""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Iterator
from typing import Any

from prbgen.cli import COMMANDS, Parser

PAGE, PLACE = "reference/commands.md", "<!-- commands -->"
WIDTH = 100


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by MkDocs for each page."""
    return markdown.replace(PLACE, commands()) if page.file.src_uri == PAGE else markdown


def commands() -> str:
    """A section for each command, and one for each of its actions, with what `--help` prints."""
    return "\n".join(section for name in COMMANDS for section in _sections(name))


def _sections(name: str) -> Iterator[str]:
    command = importlib.import_module(f"prbgen.cli.{name}")
    parser = Parser(prog=f"prbgen {name}", description=command.__doc__)
    command.add_arguments(parser)
    yield f"## prbgen {name}\n\n{_help(parser)}"
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                yield f"### prbgen {name} {word}\n\n{_help(below)}"


def _help(parser: argparse.ArgumentParser) -> str:
    before = os.environ.get("COLUMNS")
    # Wherever the site is built, lines are of one length.
    os.environ["COLUMNS"] = str(WIDTH)
    try:
        return f"```text\n{parser.format_help().rstrip()}\n```\n"
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
