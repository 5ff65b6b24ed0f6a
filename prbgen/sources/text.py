"""Two views of a text: as it is stored, and as it is compared."""

from __future__ import annotations

import re
import unicodedata

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> tuple[str, int]:
    """The text with NUL and lone surrogates, which Parquet and model providers refuse, as U+FFFD; and how many."""
    if "\0" not in text and is_unicode(text):
        return text, 0
    return _UNSTORABLE.subn("\ufffd", text)


def is_unicode(text: str) -> bool:
    """Whether the text holds no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def normalised(text: str) -> str:
    """The text for comparing: compatibility forms, case and white space do not count."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
