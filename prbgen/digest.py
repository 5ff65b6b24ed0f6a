"""Hashes that tell whether something is about these pairs, or about this file."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b, file_digest, sha256
from pathlib import Path

from prbgen.schema import Pair, PreferencePair


class Digest:
    """A hash over pairs, or other groups of texts, whatever kind of file they lie in. Takes them one by one; their
    order counts.
    """

    def __init__(self, size: int = 8) -> None:
        """`size` in bytes."""
        self._hash = blake2b(digest_size=size)

    def add(self, pair: Pair | PreferencePair) -> None:
        """Take the next pair: who asked, the question and both answers count."""
        self.add_texts(pair.user_key, pair.question, pair.chosen, pair.rejected)

    def add_texts(self, *texts: str) -> None:
        """Take the next texts."""
        for text in texts:
            # The length keeps texts apart that are only cut elsewhere.
            data = text.encode("utf-8", "surrogatepass")
            self._hash.update(len(data).to_bytes(8) + data)

    def hexdigest(self) -> str:
        """Two hex digits for each byte of its size, over all so far."""
        return self._hash.hexdigest()


def pairs_digest(pairs: Iterable[Pair | PreferencePair]) -> str:
    """The `Digest` of pairs."""
    digest = Digest()
    for pair in pairs:
        digest.add(pair)
    return digest.hexdigest()


def text_hash(*texts: str) -> str:
    """32 hex digits over texts; the same texts cut elsewhere have others."""
    digest = Digest(16)
    digest.add_texts(*texts)
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in 64 hex digits.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return file_digest(file, sha256).hexdigest()
