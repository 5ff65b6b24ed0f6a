"""A table of a TOML file that somebody wrote by hand: each key is asked for, and what is left over is a fault."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

from prbgen.errors import InputError


class Table:
    """The keys of one table; `where` says in faults which one it is."""

    def __init__(self, where: str, values: Mapping[str, Any]) -> None:
        self.where = where
        self._values = dict(values)
        self._known: list[str] = []

    def text(self, key: str, most: int, default: str | None = None) -> str:
        """A text of 1 to `most` characters (of any length, even none, if there is a default for it).

        Raises:
            InputError: it is missing, is no text or has another length.
        """
        value = self._take(key, default)
        if not isinstance(value, str):
            self.fault(key, "must be a text in quotes")
        value = value.strip()
        if not value and default is None:
            self.fault(key, "is empty; write a text")
        if len(value) > most:
            self.fault(key, f"has {len(value)} characters; {most} are allowed")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false.

        Raises:
            InputError: it is something else.
        """
        value = self._take(key, default)
        if not isinstance(value, bool):
            self.fault(key, "must be true or false")
        return value

    def whole(self, key: str) -> int | None:
        """A whole number, null if the key is not there.

        Raises:
            InputError: it is something else.
        """
        self._known.append(key)
        value = self._values.pop(key, None)
        if value is not None and type(value) is not int:
            self.fault(key, "must be a whole number")
        return value

    def texts(self, key: str, most: int) -> dict[str, str]:
        """A table of texts, each of 1 to `most` characters.

        Raises:
            InputError: it is missing, or not such a table.
        """
        value = self._take(key, None)
        if not isinstance(value, dict):
            self.fault(key, "must be a table of texts")
        inner = Table(f"{self.where}, {key}", value)
        return {name: inner.text(name, most) for name in value}

    def tables(self, key: str) -> list[dict[str, Any]]:
        """A list of one table or more.

        Raises:
            InputError: it is missing, or not such a list.
        """
        value = self._take(key, None)
        if not (isinstance(value, list) and value and all(isinstance(table, dict) for table in value)):
            self.fault(key, f"must be tables, each with the heading [[{key}]]")
        return value

    def end(self) -> None:
        """Nothing more may be in the table.

        Raises:
            InputError: there is.
        """
        for key in self._values:
            near = get_close_matches(key, self._known, 1)
            self.fault(
                key, "is not known here" + (f"; is it {near[0]}?" if near else f"; known: {', '.join(self._known)}")
            )

    def fault(self, key: str, what: str) -> NoReturn:
        """Say what is wrong with a key.

        Raises:
            InputError: always.
        """
        raise InputError(f"{self.where}: {key!r} {what}")

    def _take(self, key: str, default: Any) -> Any:
        self._known.append(key)
        value = self._values.pop(key, default)
        if value is None:
            self.fault(key, "is missing")
        return value
