"""Looking at each text once, however many rows have it: users' posts come again with each of their questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class OncePerText(Generic[T]):
    """Calls `look` on texts that it has not seen. It keeps 64-bit hashes, no texts, and what was found."""

    def __init__(self, look: Callable[[str], tuple[T, ...]]) -> None:
        self._look = look
        self._found: dict[int, tuple[T, ...]] = {}

    def __call__(self, text: str) -> tuple[T, ...]:
        """What `look` finds, or has found, in the text."""
        key = hash(text)
        if key not in self._found:
            self._found[key] = self._look(text)
        return self._found[key]
