"""What an error of the Hub's client means: whether it passes, and in one line what to do about it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from prbgen.errors import InputError, PrbgenError

GOES_ON = "the same command goes on from there"
_PASSING = (408, 429, 500, 502, 503, 504)


@contextmanager
def in_one_line(repo: str, token: str | None = None) -> Iterator[None]:
    """Turn errors of the client into an `InputError` that says what to do and never holds the token."""
    try:
        yield
    except PrbgenError:
        raise
    except Exception as error:  # each version of the client raises the errors of another HTTP library
        line = " ".join(_meaning(error, repo).split())
        raise InputError(line.replace(token, "(the token)") if token else line) from None


def status(error: BaseException) -> int | None:
    """The HTTP status behind an error, null if there was no answer."""
    response = _response(error)
    return None if response is None else int(response.status_code)


def is_passing(error: BaseException) -> bool:
    """Whether the same call may work a moment later."""
    if not isinstance(error, Exception):
        return False
    code = status(error)
    return _unreachable(error) if code is None else code in _PASSING


def wait_asked_for(error: BaseException) -> float | None:
    """The seconds that the Hub asks to wait; null if it does not say."""
    asked = str(getattr(_response(error), "headers", {}).get("Retry-After", ""))
    return float(asked) if asked.isdecimal() else None


def _meaning(error: Exception, repo: str) -> str:
    from huggingface_hub import constants

    code = status(error)
    if code is not None:
        return _answered(error, code, repo, constants.ENDPOINT)
    if _unreachable(error):
        cause = next(each for each in _chain(error) if _is_network(each))
        reason = str(cause).partition("\n")[0] or type(cause).__name__
        return f"{repo}: the Hub at {constants.ENDPOINT} cannot be reached ({reason}): try again later; {GOES_ON}"
    if any(getattr(each, "errno", None) == errno.ENOSPC for each in _chain(error)):
        return f"{repo}: no room left on the disk: make some, or let TMPDIR name another place; {GOES_ON}"
    return f"{repo}: the Hub's client failed: {type(error).__name__}: {error}"


def _answered(error: Exception, code: int, repo: str, endpoint: str) -> str:
    said = getattr(error, "server_message", None) or ""
    said = f" ({said})" if said else ""
    if code == 401:
        return (
            f"{repo}: the Hub at {endpoint} does not take the token: renew it with `hf auth login`,"
            " or correct HF_TOKEN, which goes before it"
        )
    if code == 403:
        return (
            f"{repo}: this token has no right to write there{said}:"
            f" use one with write access to {repo.split('/')[0]}, or another name"
        )
    if code == 404:
        return f"{repo}: not found on the Hub, or not visible with this token{said}"
    if code == 429:
        asked = wait_asked_for(error)
        when = f"in {asked:.0f} s" if asked is not None else "later"
        return f"{repo}: the Hub wants fewer calls (HTTP 429): try again {when}; {GOES_ON}"
    if code in _PASSING:
        return f"{repo}: the Hub at {endpoint} is out of order (HTTP {code}): try again later; {GOES_ON}"
    return f"{repo}: the Hub refused (HTTP {code}){said or f' ({error})'}"


def _response(error: BaseException) -> Any:
    """An upload's error lies behind one of another kind."""
    return next((found for each in _chain(error) if (found := getattr(each, "response", None)) is not None), None)


def _unreachable(error: BaseException) -> bool:
    return any(_is_network(each) for each in _chain(error))


def _is_network(error: BaseException) -> bool:
    of_the_library = any(base.__module__.startswith(("httpx", "requests")) for base in type(error).__mro__)
    return of_the_library or isinstance(error, ConnectionError | TimeoutError)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
