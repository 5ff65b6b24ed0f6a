"""Whether what is on the Hub may be replaced: only what we put there, or what the user has seen."""

from __future__ import annotations

import re

from prbgen.errors import InputError
from prbgen.publication.hub.client import Client, Head
from prbgen.publication.hub.files import ATTRIBUTES
from prbgen.publication.hub.published import Published

_LEAST_DIGITS = 7
_README = "README.md"


def check_base(client: Client, head: Head, last: Published | None, onto: str | None) -> None:
    """Let a push go on if it would replace nobody else's work.

    That is so on top of a dataset that nothing has been put into, and of `onto` if given, else of our last commit.

    Raises:
        InputError: the head is another commit; the message names it, and what to do.
    """
    if _is_empty(head) or _is(head.commit, onto if onto is not None else known(client, last)):
        return
    title, day, authors = client.history(head.commit)
    shown = _plain(title)
    raise InputError(
        f"{client.repo}: its newest commit is not known here: {head.commit[:12]} {shown!r} of {day}"
        f" by {_plain(authors) or 'somebody unnamed'}: look at it ({client.page(head.commit)}), then give"
        f" --onto {head.commit} to replace what it holds, --pull-request to propose yours, or another name"
    )


def known(client: Client, last: Published | None) -> str | None:
    """The commit of the main branch that our last push left, null if that went elsewhere."""
    there = last is not None and (last.endpoint, last.repo) == (client.endpoint, client.repo)
    return last.ours if last and there else None


def _is(commit: str, named: str | None) -> bool:
    """Whether a commit is named by its hash or the beginning of it."""
    return bool(named) and len(named or "") >= _LEAST_DIGITS and commit.startswith((named or "").lower())


def _is_empty(head: Head) -> bool:
    return all(name == ATTRIBUTES or (name == _README and file.size == 0) for name, file in head.files.items())


def _plain(text: str) -> str:
    """A text of somebody else's on one line, shortened, without what could act on a terminal."""
    line = re.sub(r"\s+", " ", "".join(sign if sign.isprintable() else " " for sign in text)).strip()
    return line if len(line) <= 60 else line[:57] + "..."
