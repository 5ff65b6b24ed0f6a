"""Posted calls on their way out: on disk, in parts as large as a provider takes at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from prbgen.errors import PrbgenError
from prbgen.llm.batch.provider import Size
from prbgen.llm.ledger import Sent


@dataclass(frozen=True)
class Part:
    """What becomes one batch: `requests` as the provider takes them, `calls` as the ledger does, one a line each.

    `size` is that of the requests, in bytes.
    """

    submission: str
    folder: Path
    count: int
    size: int

    @property
    def requests(self) -> Path:
        """What is sent."""
        return self.folder / f"{self.submission}.requests.jsonl"

    @property
    def _calls(self) -> Path:
        return self.folder / f"{self.submission}.calls.jsonl"

    def calls(self, started: str) -> Iterator[Sent]:
        """The attempts that it is, read from disk one by one."""
        with self._calls.open(encoding="utf-8") as file:
            for line in file:
                yield Sent(**json.loads(line) | {"started": started, "submission": self.submission})

    def add(self, sent: Sent, request: bytes) -> Part:
        """The part with one call more."""
        with self.requests.open("ab") as file:
            file.write(request)
        with self._calls.open("a", encoding="utf-8") as text:
            text.write(json.dumps(asdict(sent)) + "\n")
        return Part(self.submission, self.folder, self.count + 1, self.size + len(request))

    def delete(self) -> None:
        """Remove it from disk."""
        self.requests.unlink(missing_ok=True)
        self._calls.unlink(missing_ok=True)


class Spool:
    """The posted calls of one model."""

    def __init__(self, folder: Path, most: Size) -> None:
        self.most = most
        self._folder = folder
        self._parts: list[Part] = []
        self._keys: set[bytes] = set()

    def __contains__(self, key: str) -> bool:
        return bytes.fromhex(key) in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, sent: Sent, request: dict[str, Any]) -> None:
        """Post a call.

        Raises:
            PrbgenError: it cannot be written.
        """
        # ASCII alone: what reads it may take other characters of text for ends of lines.
        line = json.dumps(request, separators=(",", ":")).encode() + b"\n"
        with _as_prbgen_error(self._folder):
            if not self._parts or not self._fits(self._parts[-1], len(line)):
                self._folder.mkdir(parents=True, exist_ok=True)
                self._parts.append(Part(f"prbgen-{uuid4().hex}", self._folder, 0, 0))
            self._parts[-1] = self._parts[-1].add(sent, line)
        self._keys.add(bytes.fromhex(sent.key))

    def take(self) -> Iterator[Part]:
        """Take the parts out, one by one; what is not taken stays posted."""
        while self._parts:
            part = self._parts.pop(0)
            for sent in part.calls(""):
                self._keys.discard(bytes.fromhex(sent.key))
            yield part

    def _fits(self, part: Part, size: int) -> bool:
        return part.count < self.most.requests and part.size + size <= self.most.bytes


def empty(folder: Path) -> None:
    """Remove what a process left that ended before it was submitted: the next pass posts it again.

    Raises:
        PrbgenError: it cannot be removed.
    """
    with _as_prbgen_error(folder):
        for file in folder.glob("prbgen-*.jsonl"):
            file.unlink()


@contextmanager
def _as_prbgen_error(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PrbgenError(
            f"{folder}: cannot be written ({error.strerror or error}); make room or mend it, then run the same command"
        ) from None
