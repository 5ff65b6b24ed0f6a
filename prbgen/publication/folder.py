"""A staged dataset, copied to a folder of the user's choice."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from prbgen.digest import file_sha256
from prbgen.errors import InputError, PrbgenError
from prbgen.publication.sums import SUMS, read_sums
from prbgen.run import Run
from prbgen.whole_folder import replacing


def check_folder(folder: Path, run: Run) -> None:
    """See whether a run's dataset may be put into `folder`.

    Raises:
        InputError: it is a part of the run or holds it, or something is there that would be lost.
    """
    target, own = folder.resolve(), run.folder.resolve()
    if target == run.dataset.resolve():
        return
    if own.is_relative_to(target) or target.is_relative_to(own):
        raise InputError(f"{folder}: is a part of the run, or holds it; name another folder")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; name a folder")
    if stranger := next(_strangers(folder), None):
        raise InputError(f"{folder}: holds {stranger}; name a new or an empty folder")


def copy_to(folder: Path, run: Run) -> None:
    """Put a run's dataset into `folder`, whole or not at all. A dataset that prbgen put there earlier is replaced.

    Raises:
        InputError: see `check_folder`.
        PrbgenError: the disk refuses.
    """
    check_folder(folder, run)
    if folder.resolve() == run.dataset.resolve():
        return
    try:
        with replacing(folder) as new:
            shutil.copytree(run.dataset, new, dirs_exist_ok=True)
    except OSError as error:
        what = error.strerror or "a file cannot be read or written"
        raise PrbgenError(f"{folder}: cannot be written ({what}); nothing was published") from None


def _strangers(folder: Path) -> Iterator[str]:
    """What lies in a folder and is not as prbgen has put it there, in words."""
    try:
        listed = read_sums(folder)
    except PrbgenError:  # no list of ours
        listed = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or name in listed or (listed and name == SUMS)):
            yield f"{name}, which prbgen did not put there"
        elif name in listed and file_sha256(path) != listed[name]:
            yield f"{name}, which was changed since prbgen put it there"
