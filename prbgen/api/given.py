"""What callers hand over, as settings have it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sized
from pathlib import Path

from prbgen.errors import InputError

Place = str | os.PathLike[str]


def names(given: str | Iterable[str]) -> tuple[str, ...]:
    """One name, or several."""
    return (given,) if isinstance(given, str) else tuple(given)


def place(given: object, what: str) -> Path:
    """A path; `what` it is of, in messages.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"{what}: should be a path, and is of type {type(given).__name__}")
    return Path(given)


def places(given: Place | Iterable[Place], what: str) -> tuple[Path, ...]:
    """One path, or several.

    Raises:
        InputError: there is something else.
    """
    if isinstance(given, Mapping) or not isinstance(given, str | os.PathLike | Iterable):
        return (place(given, what),)
    return tuple(place(each, what) for each in ((given,) if isinstance(given, str | os.PathLike) else given))


def refuse_none(**lists: Sized) -> None:
    """Of some things there must be at least one.

    Raises:
        InputError: there is none.
    """
    for name, given in lists.items():
        if not given:
            raise InputError(f"{name}: name at least one")


def path(given: Place | None, what: str) -> Path | None:
    """A path, or null.

    Raises:
        InputError: it is something else.
    """
    return None if given is None else place(given, what)


def refuse_fewer(least: int, **numbers: int | None) -> None:
    """Numbers begin somewhere; null is none.

    Raises:
        InputError: one is less than `least`, or no whole number.
    """
    for name, number in numbers.items():
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < least):
            raise InputError(f"--{name.replace('_', '-')}: {number!r} is no number from {least}")
