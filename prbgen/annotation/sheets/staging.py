"""Sheets and the record of who got them, which get to their places together or not at all, also after a kill.

They are staged beside the record, in the run: the folder of the sheets may be on another disk, and is the user's.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from filecmp import cmp
from pathlib import Path

from prbgen.errors import InputError
from prbgen.run import cannot_write

_PARTIAL, _COMPLETE = "sheets.partial", "sheets.complete"


@contextmanager
def together(folder: Path, record: Path, replaced: str) -> Iterator[Path]:
    """A folder to write files to. Once all are written, one called as `record` goes there, the others to `folder`.

    Only `replaced` may be in `folder` already. What a killed process had completed is brought first, what it had not is
    dropped.

    Raises:
        InputError: a file of that name is there.
        PrbgenError: the folder, or that of the record, cannot be written to.
    """
    partial, complete = record.with_name(_PARTIAL), record.with_name(_COMPLETE)
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(partial, ignore_errors=True)
        _bring(complete, folder, record, replaced)
        partial.mkdir()
        yield partial
        for file in partial.iterdir():
            _to_disk(file)
            _refuse_existing(file, folder, (record.name, replaced))
        # From here on they are all there: whoever comes next brings them to their places.
        partial.rename(complete)
        _bring(complete, folder, record, replaced)
    except OSError as error:
        raise cannot_write(record.parent, error) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _bring(complete: Path, folder: Path, record: Path, replaced: str) -> None:
    if not complete.is_dir():
        return
    for file in sorted(complete.iterdir()):
        if file.name != record.name:
            try:
                _bring_one(file, folder, replaced)
            except OSError as error:
                raise cannot_write(folder, error) from None
            file.unlink()
    if (staged := complete / record.name).exists():
        staged.replace(record)
    complete.rmdir()


def _bring_one(file: Path, folder: Path, replaced: str) -> None:
    there = folder / file.name
    if there.is_file() and cmp(file, there, shallow=False):
        return  # the process was killed right here
    _refuse_existing(file, folder, (replaced,))
    folder.mkdir(parents=True, exist_ok=True)
    partial = there.with_name(f"{there.name}.partial")
    try:
        shutil.copyfile(file, partial)
        _to_disk(partial)
        partial.replace(there)
    finally:
        partial.unlink(missing_ok=True)


def _refuse_existing(file: Path, folder: Path, allowed: tuple[str, ...]) -> None:
    if file.name not in allowed and (folder / file.name).exists():
        raise InputError(f"{folder / file.name}: is there already; move it away, or name another folder")


def _to_disk(file: Path) -> None:
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())
