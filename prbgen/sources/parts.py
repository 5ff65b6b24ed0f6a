"""The parts of a source: its files, in the order in which they are read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prbgen.errors import InputError
from prbgen.recipe import SAMPLES, SourceSettings
from prbgen.schema import SUBSETS
from prbgen.sources.declared import readme_header
from prbgen.sources.files import DataFile, choose_files, named_file, names_in
from prbgen.sources.hub import fetch_files
from prbgen.sources.names import Selection
from prbgen.sources.rows import is_data_file
from prbgen.text import storable

_HUB_PREFIX = "hub:"
_SAMPLES_FOLDER = str(Path(__file__).with_name("samples"))


@dataclass(frozen=True)
class Part:
    """A file to read. `label` names it to the user; `subset` is null where each row says it by its category."""

    path: Path
    label: str
    subset: str | None
    split: str


def find_parts(source: SourceSettings, selection: Selection) -> list[Part]:
    """The files of a source: subsets in LaMP-QA's order, then others; within one, as named, or by path.

    Raises:
        InputError: a path does not exist or holds nothing that is asked for, or a dataset cannot be fetched.
    """
    paths = (source.path,) if isinstance(source.path, str) else source.path
    if not paths:
        raise InputError("[source] path: names no source")
    paths = tuple(_SAMPLES_FOLDER if path == SAMPLES else path for path in paths)
    base = _base([path for path in paths if not hub_id(path)])
    once: dict[Path, Part] = {}
    for path in paths:
        for part in _parts(path, base, selection):
            once.setdefault(part.path, part)
    order = {subset: rank for rank, subset in enumerate(SUBSETS)}
    return sorted(once.values(), key=lambda part: order.get(part.subset or "", len(order)))


def parts_at(path: str, selection: Selection) -> list[Part]:
    """The files at one place, in the order of `choose_files`.

    Raises:
        InputError: there is nothing, or nothing that is asked for, or a dataset cannot be fetched.
    """
    repo = hub_id(path)
    if "://" in path:  # not repeated: it may hold a password
        raise InputError("an address is no place to read data from: fetch the file, or name a Hub dataset by its id")
    if not repo and not absolute(path).exists():
        raise InputError(f"{path}: no such file or folder")
    return list(_parts(path, Path() if repo else _base([path]), selection))


def _parts(path: str, base: Path, selection: Selection) -> Iterator[Part]:
    if repo := hub_id(path):
        root, files = fetch_files(repo, selection)
        for file in files:
            yield _part(root, file, f"{repo}/{file.name}")
        return
    place = absolute(path)
    if place.is_dir():
        root, files = place, _files_in(place, selection)
    elif place.exists():
        root, files = place.parent, [named_file(place, selection)]
    else:
        raise InputError(f"{path}: no such file or folder (a relative path begins at the recipe)")
    for file in files:
        yield _part(root, file, (root / file.name).relative_to(base).as_posix())


def _files_in(folder: Path, selection: Selection) -> list[DataFile]:
    header = readme_header(folder / "README.md")
    return choose_files(names_in(folder), header, folder.name, selection, str(folder))


def _part(root: Path, file: DataFile, label: str) -> Part:
    return Part(root / file.name, storable(label), file.subset, file.split or "")


def hub_id(path: str) -> str | None:
    """The Hub id that a path is, null if it is a path: what exists on disk is no Hub id, nor is a data file."""
    if path.startswith(_HUB_PREFIX):
        return path.removeprefix(_HUB_PREFIX)
    if absolute(path).exists() or is_data_file(path) or not re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", path):
        return None
    return path


def _base(paths: list[str]) -> Path:
    """The folder from which files are called: the one that is read, or what several paths have in common."""
    places = [absolute(path) for path in paths]
    if len(places) == 1 and places[0].is_dir():
        return places[0]
    return Path(os.path.commonpath([place.parent for place in places])) if places else Path()


def absolute(path: str) -> Path:
    """The whole path, by the names of links and not by what they point to."""
    return Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100  (links keep their names)
