"""A TOML file of settings: its tables, what is wrong with it in one line, and paths in it, which are relative to it."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from prbgen.errors import InputError
from prbgen.model_settings import ModelSettings
from prbgen.sizes import read_whole

Prefixes = tuple[str, ...]
# Names of models that are files on this machine begin with one of these.
MODELS_HERE: Prefixes = ("local/", "scripted/")
A_PATH: Prefixes = ("",)


def read_tables(path: Path) -> dict[str, Any]:
    """What is in the file.

    Raises:
        InputError: it cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(read_whole(path).decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; `prbgen init DIR` writes one") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not a TOML file: {error}") from None


def said(fault: Any) -> str:
    """What pydantic says of one fault, in the words of the check that found it."""
    return str(fault["msg"]).removeprefix("Value error, ")


def first_fault(error: ValidationError, whole: type[BaseModel]) -> str:
    """The first fault of many, with table and key; a key that is not known comes first, as it explains one that is
    missing.

    Args:
        error: What pydantic found.
        whole: The type of the whole file.
    """
    faults = sorted(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
    fault, what = faults[0], said(faults[0])
    keys, within = _keys(fault["loc"], whole)
    if fault["type"] == "extra_forbidden":
        what = "unknown key" + _nearest(keys[-1], within)
    if fault["type"] == "model_type":
        named = fault["ctx"]["class_name"] == ModelSettings.__name__
        what = "should be a name or a table with a name" if named else "should be a table"
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    # A fault of several tables together has no place of its own.
    where = f"{_place(keys, whole, is_table=isinstance(fault['input'], dict))}: " if keys else ""
    return f"{where}{what}{more}"


def with_names(
    tables: dict[str, Any], places: Mapping[tuple[str, str], Prefixes], change: Callable[[str, Prefixes], str]
) -> dict[str, Any]:
    """The tables with `change` made to the names at these places (table, key): a name, a list of names, or a table
    with a `name`. Where something else stands, it stays: it is for others to refuse.
    """
    found = dict(tables)
    for (table, key), prefixes in places.items():

        def within(values: Any, key: str = key, prefixes: Prefixes = prefixes) -> Any:
            if not isinstance(values, dict) or key not in values:
                return values
            return {**values, key: _renamed(values[key], lambda name: change(name, prefixes))}

        if table in found:
            values = found[table]
            found[table] = [within(each) for each in values] if isinstance(values, list) else within(values)
    return found


def absolute(name: str, prefixes: Prefixes, folder: Path) -> str:
    """A name that begins with one of `prefixes`, with the absolute path of what it names after it; one that names
    nothing that exists in the folder (but a Hub id, say) stays as written.
    """
    prefix = next((each for each in prefixes if name.startswith(each)), None)
    rest = name.removeprefix(prefix or "")
    if prefix is None or not rest or "\0" in rest:
        return name
    try:
        place = beside(rest, folder)
        return f"{prefix}{place}" if place.exists() else name
    except OSError:  # no path: it is too long
        return name


def beside(name: str, folder: Path) -> Path:
    """Where a path in a file in this folder leads."""
    return folder / (Path(name).expanduser() if name.startswith("~/") else name)


def _renamed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [change(each) if isinstance(each, str) else each for each in value]
    if isinstance(value, dict) and isinstance(name := value.get("name"), str):
        return {**value, "name": change(name)}
    return value


def _keys(place: Sequence[int | str], whole: type[BaseModel]) -> tuple[list[int | str], type[BaseModel] | None]:
    """The keys that lead there, and the type of the table that has the last one. What is deeper is about types."""
    within: type[BaseModel] | None = whole
    keys: list[int | str] = []
    for at, part in enumerate(place):
        inner = _table_of(part, within) if isinstance(part, str) and within else within
        keys.append(part)
        if inner is None or at == len(place) - 1:
            break
        within = inner
    return keys, within


def _place(keys: Sequence[int | str], whole: type[BaseModel], *, is_table: bool) -> str:
    table, *rest = keys
    field = whole.model_fields.get(str(table))
    if _table_of(table, whole) is None and (field or rest or not is_table):
        return ".".join(map(str, keys))
    head = f"[{table}]"
    if field and get_origin(field.annotation) is tuple:
        head = f"[[{table}]]"
        # Of several tables it is a number that says which, and people count from 1.
        if rest and isinstance(rest[0], int):
            head, rest = f"{head} {rest[0] + 1}", rest[1:]
    return f"{head} {'.'.join(map(str, rest))}".strip()


def _nearest(key: int | str, within: type[BaseModel] | None) -> str:
    known = list(within.model_fields) if within else []
    near = difflib.get_close_matches(str(key), known, n=1)
    return f'; did you mean "{near[0]}"?' if near else f"; known are {', '.join(known)}"


def _table_of(name: int | str, whole: type[BaseModel]) -> type[BaseModel] | None:
    """The type of a table, or of one of several, or of one that need not be there; null for what is no table."""
    field = whole.model_fields.get(str(name))
    kinds = (field.annotation, *get_args(field.annotation)) if field else ()
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
