"""A text as it is compared."""

from __future__ import annotations

import unicodedata


def normalised(text: str) -> str:
    """The text for comparing: compatibility forms, case and white space do not count."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
