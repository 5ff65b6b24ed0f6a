"""A folder that one process works in at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from prbgen.errors import InputError

_LOCK = ".lock"


@contextmanager
def kept_folder(folder: Path, what: str, *signs: Path) -> Iterator[None]:
    """Keep a folder to this process; the system lets go when the process ends, however it ends.

    It is made where there is none, and where nothing came of it, nothing stays.

    Args:
        folder: Which.
        what: What it is a folder of, in messages ("results").
        signs: One of these files is in a folder of that kind from the beginning; none: any folder will do.

    Raises:
        InputError: another process is at work in it, it cannot be written, or it holds something else.
    """
    there = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    if signs and there - {_LOCK} and not any(sign.exists() for sign in signs):
        raise InputError(f"{folder}: is neither empty nor a folder of {what}; name another one with --out")
    lock = FileLock(folder / _LOCK, timeout=0.5)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise InputError(f"{folder}: another process is at work in this folder of {what}; wait for it") from None
    except OSError as error:
        raise InputError(f"{folder}: cannot be a folder of {what} ({error.strerror})") from None
    try:
        yield
    finally:
        lock.release()
        if {file.name for file in folder.glob("*")} == {_LOCK}:
            (folder / _LOCK).unlink()
            folder.rmdir()
