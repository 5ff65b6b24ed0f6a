"""Hashes that tell whether something is about these pairs, or about this file."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b, file_digest, sha256
from pathlib import Path

from prbgen.schema import Pair, PreferencePair


class Digest:
    """A hash over pairs, whatever kind of file they lie in. Takes them one by one; their order counts."""

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


def pairs_digest(pairs: Iterable[Pair | PreferencePair]) -> str:
    """The `Digest` of pairs."""
    digest = Digest()
    for pair in pairs:
        digest.add(pair)
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in 64 hex digits.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return file_digest(file, sha256).hexdigest()
