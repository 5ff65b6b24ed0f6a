"""Splits a JSON array into its values while it is being read, one value in memory at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prbgen.sizes import LONGEST_ROW
from prbgen.text import is_unicode

_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\n\r]*")
_LOOKAHEAD = 16  # more characters than are needed to tell where a number or a word such as -Infinity ends


class BrokenJsonError(Exception):
    """The text is no JSON; `line` and `column` count from 1."""

    def __init__(self, what: str, line: int, column: int) -> None:
        super().__init__(f"broken JSON: {what} (column {column})")
        self.line = line


class TooLongValueError(BrokenJsonError):
    """A value of the array is absurdly long; `line` is where it begins."""


@dataclass(frozen=True, slots=True)
class Element:
    """One value of the array; `is_unicode` is false if bytes that are no UTF-8 stood in it."""

    value: object
    is_unicode: bool


def split_array(read: Callable[[int], str], chunk: int = 1 << 20) -> Iterator[Element]:
    """The values of a JSON array in turn.

    Args:
        read: Gives up to so many of the next characters, none only at the end.
        chunk: How many characters to ask for at least.

    Raises:
        BrokenJsonError: the text is not one JSON array; what came before has been given out.
        TooLongValueError: likewise.
    """
    window = _Window(read, chunk)
    window.expect("[")
    if window.peek() == "]":
        window.expect("]")
    else:
        yield window.element()
        while window.expect(",]") == ",":
            window.peek()
            yield window.element()
    if window.peek():
        raise window.broken("Text after the end of the array")


class _Window:
    """The part of the text that is in memory, and where in it reading stands."""

    def __init__(self, read: Callable[[int], str], chunk: int) -> None:
        self._read = read
        self._chunk = chunk
        self._text = ""
        self._at = 0
        self._place = (1, 1)  # line and column of the first character in memory
        self._ended = False

    def peek(self) -> str:
        """The next character that is not blank, or none at the end."""
        while True:
            match = _BLANKS.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._grow()

    def expect(self, characters: str) -> str:
        """Step over the next character that is not blank, which must be one of these."""
        found = self.peek()
        if not found or found not in characters:
            raise self.broken(f"Expecting {' or '.join(repr(each) for each in characters)}")
        self._at += 1
        return found

    def element(self) -> Element:
        """Step over one value."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._ended or not self._is_cut_off(error):
                    raise self.broken(error.msg, error.pos) from None
            except RecursionError:
                raise self.broken("Nested too deeply") from None
            except ValueError:
                raise self.broken("A number of too many digits") from None
            else:
                if self._ended or isinstance(value, str | list | dict) or end + _LOOKAHEAD <= len(self._text):
                    element = Element(value, is_unicode(self._text[self._at : end]))
                    self._at = end
                    return element
            self._grow()

    def broken(self, what: str, at: int | None = None) -> BrokenJsonError:
        """The error for a fault here, or at another place of the text in memory."""
        return BrokenJsonError(what, *self._line_and_column(self._at if at is None else at))

    def _line_and_column(self, at: int) -> tuple[int, int]:
        line, column = self._place
        newline = self._text.rfind("\n", 0, at)
        return line + self._text.count("\n", 0, at), column + at if newline < 0 else at - newline

    def _is_cut_off(self, error: json.JSONDecodeError) -> bool:
        """Whether a value is refused perhaps only because its end has not been read yet."""
        return error.msg.startswith("Unterminated string") or error.pos > len(self._text) - _LOOKAHEAD

    def _grow(self) -> None:
        """Read on. The window doubles while one value fills it, so that long values take linear time."""
        self._place = self._line_and_column(self._at)
        rest = self._text[self._at :]
        if len(rest) > LONGEST_ROW:
            raise TooLongValueError("A value that is absurdly long", *self._place)
        more = self._read(max(self._chunk, len(rest)))
        self._text, self._at, self._ended = rest + more, 0, not more
