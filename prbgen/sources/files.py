"""Which files of a folder, or of a dataset on the Hub, hold the subsets and the split that are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prbgen.errors import InputError
from prbgen.sources.declared import declared_files, declared_splits
from prbgen.sources.names import PROPER_SPLITS, UNVALIDATED, Selection, split_in_path, subset_in_path
from prbgen.sources.rows import SUFFIXES, is_data_file

_ABOUT_DATA = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json", "config.json")


@dataclass(frozen=True)
class DataFile:
    """A file by its name below the root (parts joined by /), and what it holds; null: the name does not say."""

    name: str
    subset: str | None
    split: str | None


def names_in(folder: Path) -> list[str]:
    """All files below a folder, sorted, without hidden ones."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in paths if not any(part.startswith(".") for part in path.parts))


def choose_files(
    names: Sequence[str], header: Mapping[str, object], above: str, selection: Selection, place: str
) -> list[DataFile]:
    """The files to read, in the order of their names (or of the configs that declare them), each with its split.

    Args:
        names: All files there are.
        header: The YAML header of README.md; its `configs` say what is where. Without them, names do.
        above: What the root is called.
        selection: What is asked for.
        place: How errors name the root.

    Raises:
        InputError: a subset or the split is not there; says what is.
    """
    order: list[str] = []
    if "configs" in header:
        order = declared_splits(header["configs"], place)
        declared = declared_files(header["configs"], names, selection, place)
        files = [_described(name, above, selection, subset, split) for name, subset, split in declared]
    else:
        data = [name for name in names if is_data_file(name) and name.split("/")[-1] not in _ABOUT_DATA]
        files = [_described(name, above, selection) for name in data]
    if not files:
        kinds = ", ".join(SUFFIXES)
        raise InputError(f"{place}: no file to read ({kinds}, also .gz); found: {some(names)}")
    if selection.one_split and not selection.split:
        selection = replace(selection, split=_first_split(files, selection, order, place))
    chosen = _chosen(files, selection)
    held = {file.subset for file in chosen}
    missing = [] if None in held else [subset for subset in selection.subsets if subset not in held]
    if not chosen or missing:
        asked = [f"split {selection.split}"] if selection.split else []
        asked += [f"subset {', '.join(missing)}"] if missing else []
        raise InputError(f"{place}: no {' of '.join(asked)}; found: {_contents(files)}")
    return _once(chosen)


def named_file(path: Path, selection: Selection) -> DataFile:
    """A file that the user names: it is read whatever its name says.

    Raises:
        InputError: it is of a kind that cannot be read here.
    """
    if not is_data_file(path.name):
        raise InputError(f"{path}: cannot read this kind of file; known are {', '.join(SUFFIXES)}, also with .gz")
    file = _described(path.name, path.parent.name, selection)
    return replace(file, split=file.split or selection.split)


def _described(
    name: str, above: str, selection: Selection, subset: str | None = None, split: str | None = None
) -> DataFile:
    return DataFile(
        name,
        subset or subset_in_path(f"{above}/{name}", selection),
        split or split_in_path(name, above, selection),
    )


def _chosen(files: Iterable[DataFile], selection: Selection) -> list[DataFile]:
    """Those of the subsets and the split. Where no file of a subset names a split, all are of the one asked for."""
    wanted = [file for file in files if file.subset is None or selection.takes(file.subset)]
    if not selection.split:
        return wanted
    divided = {file.subset for file in wanted if file.split}

    def is_undivided(file: DataFile) -> bool:
        return file.split is None and file.subset not in divided and (file.subset is not None or not divided)

    chosen = [file for file in wanted if file.split == selection.split or is_undivided(file)]
    return [replace(file, split=selection.split) for file in chosen]


def _first_split(files: Iterable[DataFile], selection: Selection, order: Sequence[str], place: str) -> str:
    """The first split that people have validated; "" where no file is of any.

    First is what stands first in `order`; then, as for `datasets`, come train, validation, test, and others by name.
    """
    wanted = {file.split for file in files if file.subset is None or selection.takes(file.subset)}
    there = [each for each in (*order, *PROPER_SPLITS, *sorted(each for each in wanted if each)) if each in wanted]
    if not there:
        return ""
    for split in there:
        if not split.endswith(UNVALIDATED):
            return split
    found = some(list(dict.fromkeys(there)))
    raise InputError(
        f"{place}: people have validated none of it yet (there is {found}); --split {there[0]} takes it as it is"
    )


def _once(files: Iterable[DataFile]) -> list[DataFile]:
    """Without repeats: several configs may declare one file."""
    first: dict[str, DataFile] = {}
    for file in files:
        first.setdefault(file.name, file)
    return list(first.values())


def _contents(files: Iterable[DataFile]) -> str:
    splits: dict[str, set[str]] = {}
    for file in files:
        splits.setdefault(file.subset or "files of no subset", set()).add(file.split or "no split")
    return "; ".join(f"{subset} ({', '.join(sorted(found))})" for subset, found in splits.items())


def some(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are."""
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more]) or "nothing"
