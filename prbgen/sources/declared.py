"""What the header of a dataset's README.md declares: its configs, and which files hold their splits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from prbgen.errors import InputError
from prbgen.schema import SUBSETS
from prbgen.sources.names import DEFAULT_SUBSET, Selection, proper_split, proper_subset
from prbgen.sources.rows import is_data_file


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
        InputError: there is a header, and it is not valid YAML.
    """
    if not readme.is_file():
        return {}
    from huggingface_hub import metadata_load

    try:
        return metadata_load(readme) or {}
    except Exception as error:  # the YAML reader has errors of its own
        what = str(error).replace("\n", " ")
        raise InputError(f"{readme}: its header is no valid YAML: {what}") from None


def declared_files(
    configs: object, names: Sequence[str], selection: Selection, place: str
) -> Iterator[tuple[str, str | None, str | None]]:
    """The files of the configs that hold subsets, or of all configs where none is called like a subset.

    Yields:
        Name, subset and split of a file; null where that is not declared.

    Raises:
        InputError: the declaration cannot be understood.
    """
    try:
        declared = TypeAdapter(list[_Config]).validate_python(configs)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in ("configs", *fault["loc"]))
        raise InputError(f"{place}: README.md declares its files in an unknown way: {where}: {fault['msg']}") from None
    known = tuple(dict.fromkeys(SUBSETS + selection.subsets))
    subsets = [config for config in declared if proper_subset(config.config_name, known)]
    for config in subsets or declared:
        subset = proper_subset(config.config_name, known) or config.config_name
        for split, patterns in _patterns(config):
            for name in names:
                if is_data_file(name) and any(_matches(name, pattern) for pattern in patterns):
                    yield name, None if subset == DEFAULT_SUBSET else subset, split


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
    """Whether a path fits a pattern, in which * and ? stop at / and ** does not."""
    wild = {r"\*\*/": "(?:.*/)?", r"\*\*": ".*", r"\*": "[^/]*", r"\?": "[^/]"}
    regex = re.sub(r"\\\*\\\*/|\\\*\\\*|\\\*|\\\?", lambda found: wild[found[0]], re.escape(pattern))
    return re.fullmatch(regex, name) is not None
