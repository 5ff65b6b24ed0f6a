"""Who may ask for scores."""

from __future__ import annotations

import hmac
import os

from prbgen.downstream.ppo.serve.refusal import NoScoresError
from prbgen.errors import InputError
from prbgen.evaluate.address import REWARD_KEY


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


def check(key: str | None, authorization: str) -> None:
    """Check the Authorization header of a request, in a time that tells nothing of the key.

    Raises:
        NoScoresError: it is not the key's.
    """
    scheme, _, given = authorization.partition(" ")
    if key and not (scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), key.encode())):
        raise NoScoresError("unauthorised", f"this server needs its key, {REWARD_KEY}, as a Bearer token")
