"""Addresses of servers as a user writes them. A key in one would stand in every result, so none is taken."""

from __future__ import annotations

from urllib.parse import urlsplit

from prbgen.errors import InputError

REWARD_KEY = "PRBGEN_REWARD_KEY"
_NOT_SHOWN = "***"


def shown(text: str) -> str:
    """The text as an error may show it: whatever may hold a user, a password or a key is left out."""
    return _NOT_SHOWN if set(text) & set("@?#") else text


def server_address(text: str, what: str) -> str:
    """The address of a server, without an end slash.

    Args:
        text: As the user wrote it.
        what: What it was given as, such as "--api-base".

    Raises:
        InputError: it is none, or may hold a key. Nothing of a key is repeated.
    """
    try:
        parts = urlsplit(text)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        fine = fine and text.isprintable() and not set(text) & set(' \\<>"')
    except ValueError:
        fine = False
    if not fine:
        raise InputError(f"{what}: {shown(text)!r} is no address of a server, such as http://localhost:8000")
    if "@" in parts.netloc or "?" in text or "#" in text:
        where = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
        raise InputError(f"{what}: {where}: give the address alone; a key for the server goes into {REWARD_KEY}")
    return text.rstrip("/")


def reward_server(model: str) -> str:
    """The address in --scorer http:MODEL. Without its scheme it is HTTP, so that http://host/path is a scorer.

    Raises:
        InputError: it is none, or may hold a key. Nothing of a key is repeated.
    """
    return server_address(f"http:{model}" if model.startswith("//") else model, "--scorer http:URL")
