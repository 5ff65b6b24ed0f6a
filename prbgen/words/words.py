"""A text's words: for BM25, for comparing, and for a cut between two. Works for scripts with and without spaces."""

from __future__ import annotations

import re
import unicodedata

from prbgen.text import UNSPACED

_UNSPACED = re.compile(f"[{UNSPACED}]")

_JOINER = "\u200d"
_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


class _Spacing(dict[int, str]):
    """For `str.translate`: what stands between words becomes a space. Filled with the characters that occur."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = self._spaced(character)
        return self[code]

    @staticmethod
    def _spaced(character: str) -> str:
        if "\ufe00" <= character <= "\ufe0f":  # variation selectors: how a character looks, not which it is
            return ""
        if not (character.isalnum() or character == "_" or _is_mark(character)):
            return " "
        return f" {character} " if _UNSPACED.match(character) else character


_SPACING = _Spacing()


def words(text: str) -> list[str]:
    """The words of a text in order, in one spelling: compatibility forms (NFKC) and case are folded."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_SPACING).split()


def is_word_end(text: str, at: int) -> bool:
    """Whether `text[:at]` ends with a whole word: at a space, or beside a character that is a word of its own."""
    if at in (0, len(text)) or text[at - 1].isspace() or text[at].isspace():
        return True
    beside_unspaced = _UNSPACED.match(text[at - 1]) or _UNSPACED.match(text[at])
    return bool(beside_unspaced) and is_character_end(text, at)


def is_character_end(text: str, at: int) -> bool:
    """Whether `text[:at]` ends with a whole character: no accent, joined emoji or skin tone is torn off."""
    if at in (0, len(text)):
        return True
    following = text[at]
    return not (_is_mark(following) or following in _SKIN_TONES or _JOINER in (text[at - 1], following))


def _is_mark(character: str) -> bool:
    """Whether it is an accent, a vowel sign or the like, which belongs to the character before it."""
    return unicodedata.category(character).startswith("M")
