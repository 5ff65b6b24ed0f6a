"""Looking for secrets in every file of a folder: in texts, in every string of a Parquet file, in raw bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from prbgen.errors import InputError
from prbgen.llm.secrets import SHORTEST, load_env_file, secret_finder
from prbgen.once import OncePerText
from prbgen.publication.leaving.secret_found import SecretFound
from prbgen.publication.leaving.secret_kinds import likenesses

# Bytes done, bytes of all files.
Progress = Callable[[int, int], None]

_CHUNK = 4 << 20
# No variable of an environment is longer.
_OVERLAP = 256 << 10
_ROWS = 32


@dataclass(frozen=True)
class _Sign:
    kind: str
    begins: str
    variable: str | None


def scan_secrets(folder: Path, progress: Progress | None = None) -> tuple[SecretFound, ...]:
    """Look for values of secrets of the environment and .env, and for what looks like anybody's.

    Memory does not grow with the size of a file, but for its longest line, and a hash of each text of Parquet files:
    texts that come again are looked through once.

    Raises:
        InputError: a file cannot be read.
    """
    load_env_file()
    scanner = _Scanner(folder)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    total, done = sum(path.stat().st_size for path in paths), 0
    found: dict[SecretFound, None] = {}
    for path in paths:
        try:
            found |= dict.fromkeys(scanner.of(path))
            done += path.stat().st_size
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
        if progress:
            progress(done, total)
    return tuple(found)


class _Scanner:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._variables = secret_finder()
        self._signs = OncePerText(self._look)

    def _look(self, text: str) -> tuple[_Sign, ...]:
        """Values of the environment, then what looks like others' secrets."""
        own = tuple(_Sign(f"value of {name}", "", name) for name in self._variables(text))
        return (*own, *(_Sign(each.kind, each.begins, None) for each in likenesses(text)))

    def of(self, path: Path) -> Iterator[SecretFound]:
        """What is found in the name of a file and in the file."""
        name = path.relative_to(self._folder).as_posix()
        in_name = self._variables(name)
        for variable in in_name:
            # Its name cannot be shown.
            yield SecretFound("(the name of a file)", None, None, None, f"value of {variable}", variable=variable)
        at = SecretFound(name if not in_name else "(that file)", None, None, None, "")
        seen = set()
        for found in self._in_rows(path, at) if path.suffix == ".parquet" else self._in_lines(path, at):
            seen.add(found.variable)
            yield found
        # Over lines, and in what a Parquet file says beside its rows.
        for variable in dict.fromkeys(self._in_bytes(path)):
            if variable not in seen:
                yield replace(at, kind=f"value of {variable}", variable=variable)

    def _in_lines(self, path: Path, at: SecretFound) -> Iterator[SecretFound]:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                for sign in self._look(_decoded(line)):
                    yield _found(replace(at, number=number), sign)

    def _in_bytes(self, path: Path) -> Iterator[str]:
        with path.open("rb") as file:
            tail = b""
            while chunk := file.read(_CHUNK):
                yield from self._variables(_decoded(tail + chunk))
                tail = chunk[-_OVERLAP:]

    def _in_rows(self, path: Path, at: SecretFound) -> Iterator[SecretFound]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(path) as file:
                for text in _strings((file.schema_arrow.metadata or {}, file.metadata.metadata or {})):
                    for sign in self._signs(text):
                        yield _found(at, sign)
                number = 0
                for batch in file.iter_batches(_ROWS):
                    for row in batch.to_pylist():
                        number += 1
                        yield from self._in_row(row, replace(at, number=number))
        except pa.ArrowException as error:
            raise InputError(f"{path}: cannot be read as Parquet: {error}") from None

    def _in_row(self, row: dict[str, Any], at: SecretFound) -> Iterator[SecretFound]:
        pair_id = row.get("pair_id")
        if isinstance(pair_id, str) and not self._signs(pair_id):
            at = replace(at, pair_id=pair_id)
        for column, value in row.items():
            for text in _strings(value):
                if len(text) >= SHORTEST:
                    for sign in self._signs(text):
                        yield _found(replace(at, column=column), sign)


def _found(at: SecretFound, sign: _Sign) -> SecretFound:
    return replace(at, kind=sign.kind, begins=sign.begins, variable=sign.variable)


def _strings(value: Any) -> Iterator[str]:
    """All strings within a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield _decoded(value)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _strings(key)
            yield from _strings(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _strings(each)


def _decoded(data: bytes) -> str:
    # What is no UTF-8 becomes a sign of its own and hides nothing of what follows.
    return data.decode("utf-8", errors="replace")
