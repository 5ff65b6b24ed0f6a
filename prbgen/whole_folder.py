"""Replacing a folder as a whole, or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """An empty folder to fill, beside `folder`; it takes the place of `folder` when the block ends without an error.

    Under the final name there is the old folder, nothing (for the instant between two renames), or the new one, never
    a part of one. What a killed process left behind is put right by the next call. One process at a time.
    """
    folder = folder.resolve()
    new, old = folder.with_name(f".{folder.name}.new"), folder.with_name(f".{folder.name}.old")
    if old.exists() and not folder.exists():
        old.rename(folder)
    _remove(old)
    _remove(new)
    new.mkdir(parents=True)
    try:
        yield new
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    except BaseException:
        if old.exists() and not folder.exists():
            old.rename(folder)
        _remove(new)
        raise
    _remove(old)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
