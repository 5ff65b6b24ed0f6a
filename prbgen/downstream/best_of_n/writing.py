"""The folder of a policy's answers while they are written: kept to one process and to one sampling."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from pydantic import JsonValue

from prbgen.downstream.folders import Answers
from prbgen.errors import InputError
from prbgen.kept_folder import kept_folder
from prbgen.run import read_record, write_record
from prbgen.schema import Record

# What the folder is about, from its beginning; sampling.json comes last.
_NOTE = ".sampling.json"


class _Note(Record):
    """Which sampling it is, and the versions of all processes."""

    identity: dict[str, JsonValue]
    versions: dict[str, list[str]]


def locked(answers: Answers) -> AbstractContextManager[None]:
    """Keep the folder to this process; it is made where there is none.

    Raises:
        InputError: another process is at work in it, it cannot be written, or it holds something else.
    """
    return kept_folder(answers.folder, "candidates", answers.ledger, answers.folder / _NOTE)


def begin(answers: Answers, identity: Mapping[str, object], versions: Mapping[str, str]) -> dict[str, str]:
    """Note which sampling the folder is for, and what this process asks with; returns the versions of all processes.

    Raises:
        InputError: it is for another one; says in what. Or its note is damaged.
    """
    file = answers.folder / _NOTE
    before = read_record(file, _Note, "prbgen bon sample") if file.exists() else _Note(identity={}, versions={})
    if before.identity:
        _refuse_another(answers.folder, before.identity, identity)
    known = before.versions
    all_versions = known | {name: sorted({*known.get(name, ()), each}) for name, each in versions.items()}
    write_record(file, _Note.model_validate({"identity": dict(identity), "versions": all_versions}))
    return {name: ", ".join(each) for name, each in all_versions.items()}


def _refuse_another(folder: Path, before: Mapping[str, object], now: Mapping[str, object]) -> None:
    for name in {**now, **before}:
        if before.get(name) != now.get(name):
            raise InputError(
                f"{folder}: holds candidates of another sampling ({name} {before.get(name)!r}, not"
                f" {now.get(name)!r}); name another folder with --out"
            )
