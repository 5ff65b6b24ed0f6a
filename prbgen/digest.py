"""A hash over pairs, whatever kind of file they lie in: it tells whether something said about them is about these."""

from __future__ import annotations

from hashlib import blake2b

from prbgen.schema import Pair, PreferencePair


class Digest:
    """Takes pairs one by one; their order counts."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=8)

    def add(self, pair: Pair | PreferencePair) -> None:
        """Take the next pair: who asked, the question and both answers count."""
        for text in (pair.user_key, pair.question, pair.chosen, pair.rejected):
            # The length keeps texts apart that are only cut elsewhere.
            data = text.encode("utf-8", "surrogatepass")
            self._hash.update(len(data).to_bytes(8) + data)

    def hexdigest(self) -> str:
        """16 hex digits over all pairs so far."""
        return self._hash.hexdigest()
