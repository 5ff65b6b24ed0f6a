"""Passwords that people read off a screen or a slip of paper and type."""

from __future__ import annotations

import secrets

# Nothing that looks like something else.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_LENGTH = 16  # 79 bits


def readable_password() -> str:
    """A new one, at random."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
