"""The owner's account of an embedded Argilla server: made at random, kept in the server's home and nowhere else."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from prbgen.annotation.password import readable_password
from prbgen.errors import InputError

OWNER = "owner"


@dataclass(frozen=True)
class Account:
    """Who owns the server. `password` is null once it was shown: only the server knows it then, as a hash."""

    name: str
    api_key: str = field(repr=False)
    password: str | None = field(repr=False)

    def hide_in(self, text: str) -> str:
        """The text without key and password."""
        for secret in filter(None, (self.api_key, self.password)):
            text = text.replace(secret, "[redacted]")
        return text


def account_of(home: Path) -> Account:
    """The account of the server in `home`, made and stored (mode 0600) if there is none.

    Raises:
        InputError: the file with the account cannot be read as such.
    """
    file = _file(home)
    if not file.exists():
        account = Account(OWNER, secrets.token_urlsafe(32), readable_password())
        _write(file, account)
        return account
    try:
        account = Account(**json.loads(file.read_text(encoding="utf-8")))
        if all(isinstance(each, str) for each in (account.name, account.api_key, account.password or "")):
            return account
    except (TypeError, ValueError):
        pass
    raise InputError(f"{file}: not as it was written; restore it, or start in a new folder with --home")


def forget_password(home: Path) -> None:
    """Store the account without its password, which the owner has seen now."""
    _write(_file(home), replace(account_of(home), password=None))


def has_account(home: Path) -> bool:
    """Whether a server was started in this folder before."""
    return _file(home).exists()


def _file(home: Path) -> Path:
    return home / "account.json"


def _write(file: Path, account: Account) -> None:
    """Whole or not at all, and at no moment readable by others."""
    partial = file.with_name(file.name + ".partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        json.dump(asdict(account), stream)
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(file)
