"""Keys come from the environment or .env and never leave this process: what comes in or goes to disk passes here."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from dotenv import load_dotenv

from prbgen.errors import InputError

# Names that hold a secret, such as OPENAI_API_KEY, HF_TOKEN, AWS_ACCESS_KEY_ID or MY_API_KEY_2.
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|KEY_ID)(_?\d+)?$", re.IGNORECASE)
# It is the place of a file.
_NO_SECRET = {"PRBGEN_RATERS_KEY"}
# Names that a recipe takes a secret from, whatever they are called.
_referred_to: set[str] = set()
# Anything shorter would black out ordinary words.
SHORTEST = 8
_REFERENCE = "os.environ/"


@cache
def load_env_file() -> None:
    """Read .env of the working folder, once; what the environment already says wins.

    Raises:
        InputError: it cannot be read.
    """
    file = Path.cwd() / ".env"
    try:
        load_dotenv(file, override=False)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read as a UTF-8 text file ({type(error).__name__})") from None


def redact(text: str) -> str:
    """The text without any secret of the environment, verbatim or as it looks inside a JSON string."""
    for secret, _ in _secrets_now():
        text = text.replace(secret, "[redacted]")
    return text


def secret_finder() -> Callable[[str], tuple[str, ...]]:
    """What tells the secrets of the environment, as it is now, that stand in a text as `redact` would find them.

    It gives the names of their variables, in alphabetical order; never a value. None is shorter than `SHORTEST`.
    """
    secrets = _secrets_now()

    def secrets_in(text: str) -> tuple[str, ...]:
        return tuple(sorted({name for secret, name in secrets if secret in text}))

    return secrets_in


def _secrets_now() -> tuple[tuple[str, str], ...]:
    return _secrets(tuple(os.environ.items()), frozenset(_referred_to))


@cache
def _secrets(environment: tuple[tuple[str, str], ...], referred_to: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Each secret as it may stand in a text, and the variable that holds it."""
    found = set()
    for name, value in environment:
        secret = value.strip()
        told = name in referred_to or (_SECRET_NAME.search(name) and name not in _NO_SECRET)
        if told and len(secret) >= SHORTEST:
            forms = (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
            found |= {(form, name) for form in forms}
    # Longest first: one secret may contain another.
    return tuple(sorted(found, key=lambda each: (-len(each[0]), each)))


def resolve(value: object) -> object:
    """Replace references such as "os.environ/MY_KEY", also inside tables and lists, by what the environment holds.

    Raises:
        InputError: the variable is not set.
    """
    if isinstance(value, dict):
        return {name: resolve(each) for name, each in value.items()}
    if isinstance(value, list):
        return [resolve(each) for each in value]
    if not (isinstance(value, str) and value.startswith(_REFERENCE)):
        return value
    name = value.removeprefix(_REFERENCE)
    if name not in os.environ:
        raise InputError(f"the recipe takes a key from {name}, which is not set: export it or write it into .env")
    _referred_to.add(name)
    return os.environ[name]
