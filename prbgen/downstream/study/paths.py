"""Paths in a study are relative to its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prbgen.errors import InputError
from prbgen.model_settings import TRANSFORMERS
from prbgen.settings_file import A_PATH, MODELS_HERE, Prefixes, absolute, beside, with_names

_MODELS = (*MODELS_HERE, TRANSFORMERS)
_NAMED = {
    ("data", "path"): A_PATH,
    ("models", "scorer"): ("scalar:", *(f"{kind}:{each}" for kind in ("judge", "rate") for each in MODELS_HERE)),
    ("planner", "model"): _MODELS,
    ("best_of_n", "policy"): _MODELS,
    ("best_of_n", "judge"): _MODELS,
}


def with_absolute_paths(tables: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A study as it was read, in which what exists beside it has an absolute path; what does not exist stays as written
    (a Hub id, say), and so does what is the same seen from the working folder, as names of models are in results.

    Raises:
        InputError: a folder of results is not there.
    """

    def seen(name: str, prefixes: Prefixes) -> str:
        found = absolute(name, prefixes, folder)
        return name if found == absolute(name, prefixes, Path.cwd()) else found

    def trained(name: str, _: Prefixes) -> str:
        if "\0" in name or not (place := beside(name, folder)).is_dir():
            raise InputError(f"[ppo] results: {name}: there is no such folder; `prbgen ppo answer` writes one")
        return str(place)

    return with_names(with_names(tables, _NAMED, seen), {("ppo", "results"): A_PATH}, trained)
