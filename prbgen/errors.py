"""The errors that a user can act on: one clear line each, and the exit code that goes with it."""

from __future__ import annotations

from typing import Any


class Sendable(Exception):  # noqa: N818 - a base of errors
    """An error that comes out of another process as it went in, whatever its `__init__` takes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _as_it_was, (type(self), self.args, self.__dict__)


def _as_it_was(kind: type[Sendable], args: tuple[Any, ...], state: dict[str, Any]) -> Sendable:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class PrbgenError(Sendable):
    """An error whose message says what is wrong, where, and what to do. Shown as one line, never as a traceback."""

    exit_code = 2


class InputError(PrbgenError):
    """The data or the settings are wrong."""


class MissingExtraError(PrbgenError):
    """An optional part of prbgen is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part of prbgen: pip install 'prbgen[{extra}]'")


class ModelError(PrbgenError):
    """A model cannot be used at all (wrong key, unknown name, no quota): going on would only fail again."""


class FellShortError(PrbgenError):
    """The work is done, but not all of it came out."""

    exit_code = 1


class InterruptError(PrbgenError):
    """Stopped by the user; the same command goes on from here."""

    exit_code = 130
