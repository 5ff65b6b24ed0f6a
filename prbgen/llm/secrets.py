"""Keys come from the environment or .env and never go to disk: what comes in or goes there passes here. They leave this
process for providers, and for the memory of `--ray`'s workers, which call them.
"""

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
# What else tells where and as whom a provider is reached, such as OPENAI_API_BASE or AWS_REGION_NAME.
_ADDRESS_NAME = re.compile(
    r"_(API_BASE|BASE_URL|API_URL|API_VERSION|ENDPOINT|REGION(_NAME)?|PROJECT|LOCATION|ORGANIZATION)$",
    re.IGNORECASE,
)
# Secrets that are surely none of a provider's of models: of the cluster, of the Hub, of code, packages and databases.
_NO_PROVIDER = re.compile(
    r"(RAY|PRBGEN|ARGILLA|HF|HUGGING_FACE_HUB|GITHUB(?!_API_)|GH|GITLAB|CI|ACTIONS|TWINE|PYPI|UV|NPM|SSH|KUBE"
    r"|SLURM|MUNGE|PG|POSTGRES(QL)?|MYSQL|REDIS|MONGO(DB)?|DATABASE|DB)_",
    re.IGNORECASE,
)
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
def _secrets(environment: tuple[tuple[str, str], ...], referred: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Each secret as it may stand in a text, and the variable that holds it."""
    found = set()
    for name, value in environment:
        secret = value.strip()
        if (name in referred or _is_secret(name)) and len(secret) >= SHORTEST:
            forms = (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
            found |= {(form, name) for form in forms}
    # Longest first: one secret may contain another.
    return tuple(sorted(found, key=lambda each: (-len(each[0]), each)))


def _is_secret(name: str) -> bool:
    return bool(_SECRET_NAME.search(name)) and name not in _NO_SECRET


def for_workers() -> dict[str, str]:
    """The variables that a process on another machine needs to reach providers: keys, addresses. For memory alone.

    LiteLLM knows hundreds of names, not all of them by rule: what is known to be none of a provider's is left out.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if (_is_secret(name) or _ADDRESS_NAME.search(name)) and not _NO_PROVIDER.match(name)
    }


def hub_token() -> dict[str, str]:
    """The Hub's, for models that are called there; it may be able to write."""
    return {name: os.environ[name] for name in ("HF_TOKEN",) if name in os.environ}


def referred_to(value: object) -> dict[str, str]:
    """The variables, with their values, that references such as "os.environ/MY_KEY" in tables or lists stand for.

    Raises:
        InputError: a variable is not set.
    """
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return {name: text for each in value for name, text in referred_to(each).items()}
    found = resolve(value)
    return {} if found is value else {str(value).removeprefix(_REFERENCE): str(found)}


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
