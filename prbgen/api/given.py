"""What callers hand over, as settings have it."""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sized
from pathlib import Path

from pydantic import JsonValue

from prbgen.errors import InputError
from prbgen.evaluation.settings import DataSettings

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


def data_of(given: Place, subset: str | Iterable[str] = (), split: str = "", limit: int = 0) -> DataSettings:
    """Data, and which part of it.

    Raises:
        InputError: there can be no such data, or no such part.
    """
    refuse_fewer(0, limit=limit)
    return DataSettings(given if isinstance(given, str) else str(place(given, "data")), names(subset), split, limit)


def options_of(given: object, what: str) -> dict[str, JsonValue]:
    """Options of a model by their names; null: none.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(given, Mapping | None):
        raise InputError(f"{what}: should be a dict, and is of type {type(given).__name__}")
    return dict(given or {})


def refuse_slips(given: Collection[str], further: Collection[str], function: Callable[..., object]) -> None:
    """What else was given to a function should be among its `further` keywords.

    Raises:
        TypeError: there is no such keyword.
    """
    if unknown := set(given) - set(further):
        own = [name for name, each in inspect.signature(function).parameters.items() if each.kind != each.VAR_KEYWORD]
        near = difflib.get_close_matches(min(unknown), [*own, *further], n=1)
        meant = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(sorted(further))}"
        raise TypeError(f"there is no keyword {min(unknown)!r}{meant}")


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
