"""What the header of a dataset's README.md declares: its configs, and which files hold their splits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from prbgen.errors import InputError
from prbgen.sizes import read_whole
from prbgen.sources.names import ALL, DEFAULT_SUBSET, RATINGS, Selection, proper_split, proper_subset
from prbgen.sources.rows import is_data_file

_PIECES = re.compile(r"\*\*/|\*\*|.", re.DOTALL)
_README = 16 * 2**20  # bytes: no card has as many

_DeclaredFile = tuple[str, str | None, str | None]


class _Files(BaseModel):
    split: str | None = None
    path: str | list[str]


class _Config(BaseModel):
    config_name: str = DEFAULT_SUBSET
    data_dir: str = ""
    data_files: str | list[str] | list[_Files] | dict[str, str | list[str]] = "**"


def readme_header(readme: Path) -> dict[str, object]:
    """The YAML header of a README.md; empty if it has none.

    Raises:
        InputError: there is a header, and it is not valid YAML; or the file is absurdly large.
    """
    if not readme.is_file():
        return {}
    from huggingface_hub import metadata_load

    read_whole(readme, _README)
    try:
        return metadata_load(readme) or {}
    except Exception as error:  # the YAML reader has errors of its own
        what = str(error).replace("\n", " ")
        raise InputError(f"{readme}: its header is no valid YAML: {what}") from None


def declared_files(configs: object, names: Sequence[str], selection: Selection, place: str) -> Iterator[_DeclaredFile]:
    """The files of the configs that hold subsets, or of all configs where none is called like a subset.

    Where any config is a subset, each file is of the one that says most about it: `all` repeats what others declare.

    Yields:
        Name, subset and split of a file; null where that is not declared.

    Raises:
        InputError: the declaration cannot be understood.
    """
    declared = _understood(configs, place)
    data = [name for name in names if is_data_file(name)]
    found = [_config_files(config, data, selection) for config in _configs(declared, selection)]
    yield from _each_once(found) if selection.any_config else chain.from_iterable(found)


def declared_splits(configs: object, place: str) -> list[str]:
    """The splits in the order in which configs declare them, which `datasets` keeps to.

    Raises:
        InputError: the declaration cannot be understood.
    """
    patterns = chain.from_iterable(_patterns(config) for config in _understood(configs, place))
    return list(dict.fromkeys(split for split, _ in patterns if split))


def _understood(configs: object, place: str) -> list[_Config]:
    try:
        return TypeAdapter(list[_Config]).validate_python(configs)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in ("configs", *fault["loc"]))
        raise InputError(f"{place}: README.md declares its files in an unknown way: {where}: {fault['msg']}") from None


def _each_once(configs: Iterable[list[_DeclaredFile]]) -> list[_DeclaredFile]:
    """Each file, by name, as that config declares it that says most: it has a subset, and the fewest files."""
    telling = sorted(configs, key=lambda files: (any(subset is None for _, subset, _ in files), len(files)))
    first: dict[str, _DeclaredFile] = {}
    for file in chain.from_iterable(telling):
        first.setdefault(file[0], file)
    return [first[name] for name in sorted(first)]


def _configs(declared: list[_Config], selection: Selection) -> list[_Config]:
    if selection.any_config:
        return [config for config in declared if config.config_name != RATINGS]
    return [config for config in declared if proper_subset(config.config_name, selection.known)] or declared


def _config_files(config: _Config, names: Sequence[str], selection: Selection) -> list[_DeclaredFile]:
    subset = proper_subset(config.config_name, selection.known) or config.config_name
    no_subsets = (DEFAULT_SUBSET, ALL) if selection.any_config else (DEFAULT_SUBSET,)
    return [
        (name, None if subset in no_subsets else subset, split)
        for split, patterns in _patterns(config)
        for name in names
        if any(_matches(name, pattern) for pattern in patterns)
    ]


def _patterns(config: _Config) -> Iterator[tuple[str | None, list[str]]]:
    """The splits of a config (null: not said), each with the patterns of its files, from the root."""
    files = config.data_files
    entries: list[tuple[str | None, str | list[str]]]
    if isinstance(files, dict):
        entries = list(files.items())
    elif isinstance(files, str):
        entries = [(None, files)]
    else:
        entries = [(None, each) if isinstance(each, str) else (each.split, each.path) for each in files]
    for split, paths in entries:
        patterns = [paths] if isinstance(paths, str) else paths
        yield split and proper_split(split), [_from_root(config.data_dir, each) for each in patterns]


def _from_root(folder: str, pattern: str) -> str:
    return "/".join(part for part in f"{folder}/{pattern}".split("/") if part not in ("", "."))


def _matches(name: str, pattern: str) -> bool:
    """Whether a path fits a pattern, in which * and ? stop at / and ** does not.

    In a time that grows with the product of their lengths: a pattern comes from whoever made the dataset.
    """
    # places[i]: whether what came of the pattern so far fits name[:i].
    places = [True] + [False] * len(name)
    for each in _PIECES.findall(pattern):
        before, places, any_before = places, [False] * (len(name) + 1), False
        for at, fits in enumerate(before):
            if each == "**/":  # nothing, or anything that ends with /
                places[at] = fits or (name[at - 1 : at] == "/" and any_before)
            elif each in ("*", "**"):
                places[at] = fits or (at > 0 and places[at - 1] and (each == "**" or name[at - 1] != "/"))
            elif at > 0:
                places[at] = before[at - 1] and (name[at - 1] == each or (each == "?" and name[at - 1] != "/"))
            any_before = any_before or fits
    return places[-1]
