"""The run folder: what is where, and how files get there whole."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

from filelock import FileLock, Timeout
from pydantic import ValidationError

from prbgen.errors import InputError, PrbgenError
from prbgen.resources import resource
from prbgen.schema import Record
from prbgen.sizes import LONGEST_ROW, read_whole, too_long_row

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Run:
    """One build: its folder and the files in it."""

    folder: Path

    @property
    def recipe(self) -> Path:
        """The recipe as resolved."""
        return self.folder / "recipe.toml"

    @property
    def _lock(self) -> Path:
        return self.folder / ".lock"

    @property
    def _owner(self) -> Path:
        return self.folder / ".lock.owner"

    def own(self, kind: str) -> Path:
        """The folder of the user's own files ("prompts", "data_cards") that this run uses before the shipped ones."""
        return self.folder / kind

    def adopt(self, folder: Path) -> None:
        """Take over what the user changed beside the recipe, so that the run folder alone says how it was built."""
        if folder.resolve() == self.folder.resolve():
            return
        for kind in ("prompts", "data_cards"):
            shutil.rmtree(self.own(kind), ignore_errors=True)
            shipped = resource(kind)
            for file in sorted((folder / kind).rglob("*")):
                name = file.relative_to(folder / kind)
                if file.is_file() and not _same(file, shipped / name):
                    copy = self.own(kind) / name
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, copy)

    @property
    def ledger(self) -> Path:
        """Every model call."""
        return self.folder / "ledger.sqlite"

    @property
    def pairs(self) -> Path:
        """The pairs, one a line, in source order."""
        return self.folder / "pairs.jsonl"

    @property
    def rejects(self) -> Path:
        """What did not get through, one a line."""
        return self.folder / "rejects.jsonl"

    @property
    def annotation(self) -> Path:
        """The folder of its rating campaigns: one folder a round, and the embedded server's."""
        return self.folder / "annotation"

    @property
    def audit(self) -> Path:
        """The folder with what the latest `prbgen audit` of this run found."""
        return self.folder / "audit"

    @property
    def dataset(self) -> Path:
        """The dataset as it would be published."""
        return self.folder / "dataset"

    @classmethod
    def existing(cls, folder: Path) -> Run:
        """A run that is there.

        Raises:
            InputError: the folder holds no run.
        """
        run = cls(folder)
        missing = [path.name for path in (run.recipe, run.ledger) if not path.is_file()]
        if missing:
            raise InputError(f"{folder}: not a run (it has no {' and no '.join(missing)})")
        return run

    @property
    def _unfinished(self) -> Path:
        return self.folder / ".unfinished"

    @property
    def finished(self) -> bool:
        """Whether pairs.jsonl is all that the latest `prbgen generate` was to bring."""
        return self.pairs.is_file() and not self._unfinished.exists()

    def begin(self) -> None:
        """Note that work on pairs.jsonl has begun; a process that dies leaves this note."""
        self._unfinished.touch()

    def end(self) -> None:
        """Note that pairs.jsonl is all that was asked for."""
        self._unfinished.unlink(missing_ok=True)

    def _refuse_what_is_no_run(self) -> None:
        if self.folder.is_dir() and any(self.folder.iterdir()) and not (self._lock.exists() or self.ledger.exists()):
            raise InputError(f"{self.folder}: is neither empty nor a run; name another folder with --run")

    def owner(self) -> str | None:
        """Which process works on this run now, or null."""
        if not self._lock.exists():
            return None
        try:
            with FileLock(self._lock, timeout=0):
                return None
        except Timeout:
            return self._owner.read_text(encoding="utf-8") if self._owner.exists() else "another process"
        except OSError:  # read-only: nobody can be at work here
            return None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep the run to this process; the system lets go when the process ends, however it ends.

        Raises:
            InputError: another process works on this run (named by pid and host), or the folder cannot be written.
        """
        self._refuse_what_is_no_run()
        # `prbgen status` may hold it for an instant.
        lock = FileLock(self._lock, timeout=0.5)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout:
            who = self.owner() or "another process"
            raise InputError(f"{self.folder}: {who} is working on this run; wait for it or stop it") from None
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be used as a run folder ({error.strerror})") from None
        try:
            self._owner.write_text(f"pid {os.getpid()} on {socket.gethostname()}", encoding="utf-8")
            yield
        finally:
            self._owner.unlink(missing_ok=True)
            lock.release()


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


@contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """Write a text file under a temporary name; it gets its own only when all is written and on disk."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise cannot_write(path, error) from None
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def cannot_write(path: Path, error: OSError) -> PrbgenError:
    """What to say when the disk refuses."""
    what = error.strerror or error
    return PrbgenError(f"{path}: cannot be written ({what}); make room or mend it, then run the same command")


def as_line(record: Record) -> str:
    """A record as one line of JSON."""
    return json.dumps(record.model_dump(mode="json"), ensure_ascii=False) + "\n"


def write_record(path: Path, record: Record) -> None:
    """Write a file that is one record, whole."""
    with whole_file(path) as file:
        file.write(json.dumps(record.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n")


def read_record(path: Path, kind: type[R], command: str) -> R:
    """The record that a file is; `command` writes such files.

    Raises:
        InputError: it is missing, or no such record.
    """
    try:
        return kind.model_validate_json(read_whole(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; `{command}` writes it") from None
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"]))
        raise InputError(f"{path}: is not what `{command}` writes ({where}: {fault['msg']})") from None


def read_records(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a JSON-lines file, one by one.

    Raises:
        InputError: the file is missing, or a line is no such record.
    """
    try:
        with path.open("rb") as file:
            for _, _, record in read_lines(path, file, kind):
                yield record
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def read_lines(path: Path, file: IO[bytes], kind: type[R]) -> Iterator[tuple[int, int, R]]:
    """The records of an open JSON-lines file, each with where its line begins and how long it is, in bytes.

    Raises:
        InputError: a line is no such record.
    """
    start = 0
    for number, line in enumerate(iter(lambda: file.readline(4 * LONGEST_ROW + 1), b""), 1):
        if len(line) > 4 * LONGEST_ROW:
            raise too_long_row(f"{path}: line {number}")
        try:
            yield start, len(line), kind.model_validate_json(line)
        except ValidationError as error:
            try:
                line.decode()
            except UnicodeDecodeError:
                raise InputError(f"{path}: not a UTF-8 text file (line {number})") from None
            fault = error.errors()[0]
            what = ": ".join(filter(None, (".".join(map(str, fault["loc"])), fault["msg"])))
            raise InputError(f"{path}: line {number}: {what}") from None
        start += len(line)
