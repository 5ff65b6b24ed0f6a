"""Raters under pseudonyms: keyed hashes of their usernames, by a key that never enters a run.

Whoever has the run but not the key can neither name a rater nor test a guess (HMAC, RFC 2104).
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path

from platformdirs import user_data_path

from prbgen.annotation.roster import name_key
from prbgen.errors import InputError

VARIABLE = "PRBGEN_RATERS_KEY"  # names another file than the usual one
_BYTES = 32


class Pseudonyms:
    """Turns usernames into pseudonyms. `salt` keeps those of different runs apart."""

    def __init__(self, key: bytes, salt: str) -> None:
        self._key = key
        self._salt = salt

    def __call__(self, username: str) -> str:
        """Such as "rater-3f0a94be1c"; always the same for a username (in any case), a key and a salt."""
        return f"rater-{self._mac('rater', name_key(username))[:10]}"

    @property
    def check(self) -> str:
        """8 hex digits that tell whether another key is this one, and nothing else."""
        return self._mac("check", "")[:8]

    def _mac(self, purpose: str, text: str) -> str:
        return hmac.digest(self._key, "\x1f".join((purpose, self._salt, text)).encode(), "sha256").hex()


def pseudonyms(salt: str, made_with: str | None) -> Pseudonyms:
    """The pseudonyms of a run. `made_with` is the check of the key that earlier ones were made with, null: none were.

    The key is made on first use, readable by its owner alone, in the user's data folder or where the variable
    PRBGEN_RATERS_KEY says.

    Raises:
        InputError: the key is not there or another one, or cannot be read or written.
    """
    file = key_file()
    try:
        if made_with is None and not file.exists():
            _write(file)
        key = bytes.fromhex(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        raise InputError(f"{file}: {_LOST}") from None
    except OSError as error:
        raise InputError(f"{file}: the raters' key: {error.strerror}; {VARIABLE} names another file") from None
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise InputError(f"{file}: is not a raters' key as prbgen writes it; restore it, or {VARIABLE} names another")
    made = Pseudonyms(key, salt)
    if made_with not in (None, made.check):
        raise InputError(f"{file}: not the key that this round began with; {_LOST}")
    return made


_LOST = (
    "with another key every rater would look like a new person. Copy the key from where the first push ran"
    f" ({VARIABLE} names its file)"
)


def key_file() -> Path:
    """Where the key is kept."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else user_data_path("prbgen") / "raters.key"


def _write(file: Path) -> None:
    """Whole, and at no moment readable by others; a process that was quicker wins."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.{secrets.token_hex(4)}.partial")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as stream:
            stream.write(secrets.token_bytes(_BYTES).hex())
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(partial, file)  # unlike a rename, it never replaces
        except FileExistsError:
            pass
        except OSError:  # no links on this file system: the next best, with a moment in which both may win
            if not file.exists():
                partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
