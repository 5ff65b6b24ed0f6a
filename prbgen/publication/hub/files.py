"""The files of a staged folder beside those of a dataset on the Hub: which are the same, by hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha1, sha256
from pathlib import Path

from prbgen.digest import file_sha256
from prbgen.errors import InputError

ATTRIBUTES = ".gitattributes"


@dataclass(frozen=True)
class There:
    """A file on the Hub: `blob` is the SHA-1 that git gives it, `sha256` that of an LFS file (null: it is none)."""

    size: int
    blob: str
    sha256: str | None


@dataclass(frozen=True)
class Here:
    """A file to publish; `name` is its path in the dataset, with /."""

    path: Path
    name: str

    @cached_property
    def sha256(self) -> str:
        """Of the content."""
        return file_sha256(self.path)

    @cached_property
    def blob(self) -> str:
        """The SHA-1 that git would give it outside LFS."""
        data = self.path.read_bytes()
        return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

    def same(self, other: There | None) -> bool:
        """Whether the Hub has the very same content."""
        if other is None or other.size != self.path.stat().st_size:
            return False
        return self.sha256 == other.sha256 if other.sha256 else self.blob == other.blob


def files_in(folder: Path) -> tuple[Here, ...]:
    """All files of a folder in the order of their names, without hidden ones.

    Raises:
        InputError: there are none.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [(path, path.relative_to(folder)) for path in paths]
    files = tuple(Here(path, name.as_posix()) for path, name in names if not any(p[0] == "." for p in name.parts))
    if not files:
        raise InputError(f"{folder}: no files, so there is nothing to publish")
    return files


def fingerprint(files: Iterable[Here]) -> str:
    """A SHA-256 over names and contents."""
    lines = sorted(f"{file.sha256}  {file.name}\n" for file in files)
    return sha256("".join(lines).encode()).hexdigest()


@dataclass(frozen=True)
class Changes:
    """What makes the files on the Hub those of a folder."""

    send: tuple[Here, ...]
    delete: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.send or self.delete)

    def __str__(self) -> str:
        """Some of it in words, for a message."""
        names = (*(file.name for file in self.send), *self.delete)
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        return ", ".join(names[:5]) + more


def changes(files: Iterable[Here], there: Mapping[str, There]) -> Changes:
    """Compare a folder with a dataset; `.gitattributes` is the Hub's own and stays."""
    names = {file.name for file in files}
    return Changes(
        send=tuple(file for file in files if not file.same(there.get(file.name))),
        delete=tuple(sorted(there.keys() - names - {ATTRIBUTES})),
    )
