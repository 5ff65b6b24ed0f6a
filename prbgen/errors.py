"""The errors that a user can act on: one clear line each, and the exit code that goes with it."""


class PrbgenError(Exception):
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
