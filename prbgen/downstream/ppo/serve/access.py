"""Who may ask for scores."""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping

from prbgen.downstream.ppo.serve.refusal import NoScoresError
from prbgen.errors import InputError
from prbgen.evaluation.address import REWARD_KEY
from prbgen.local_address import Address


def key_for(host: str, *, loopback: bool, no_key: bool) -> str | None:
    """The key that clients need; null: none.

    Raises:
        InputError: others could reach the server without a key, or the key is not one.
    """
    if no_key:
        return None
    key = os.environ.get(REWARD_KEY, "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InputError(f"{REWARD_KEY}: holds characters that no key has")
    if not (key or loopback):
        what = f"--host {host}: others could use the model"
        raise InputError(f"{what}: export a key for them as {REWARD_KEY}, or say --no-key")
    return key or None


def check_origin(key: str | None, headers: Mapping[str, str], *, loopback: bool) -> None:
    """Check that no web page asks, in the browser of somebody who may reach the server: without a key, any page that is
    open there could, by itself or under a name of its own that it lets point to this machine.

    Raises:
        NoScoresError: a page asks, or a server for this machine alone is called by another name.
    """
    if key is None and "origin" in headers:
        raise NoScoresError("forbidden", "web pages get no scores from a server without a key")
    if key is None and loopback and not Address(_host_in(headers.get("host", "")), 0).is_loopback:
        raise NoScoresError("forbidden", "this server is for this machine alone: call it localhost or 127.0.0.1")


def _host_in(header: str) -> str:
    """The host of HOST, HOST:PORT or [HOST]:PORT."""
    return header.partition("]")[0].removeprefix("[") if header.startswith("[") else header.partition(":")[0].lower()


def check(key: str | None, authorization: str) -> None:
    """Check the Authorization header of a request, in a time that tells nothing of the key.

    Raises:
        NoScoresError: it is not the key's.
    """
    scheme, _, given = authorization.partition(" ")
    if key and not (scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), key.encode())):
        raise NoScoresError("unauthorised", f"this server needs its key, {REWARD_KEY}, as a Bearer token")
