"""Write a recipe, a study of reward models, and editable copies of prompts, guidelines for raters and dataset card."""

import argparse
import shutil
from pathlib import Path

from prbgen.errors import InputError
from prbgen.recipe import shipped_recipe
from prbgen.resources import resource

COPIED = (
    "prompts",
    *(f"annotation/{kind}" for kind in ("guidelines", "questions", "layout", "gold")),
    "data_cards",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`init DIR`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="a new or empty folder")


def run(arguments: argparse.Namespace) -> int:
    """Write the files; an existing file is never touched."""
    folder: Path = arguments.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: exists and is not empty; name a new folder")
    for kind in COPIED:
        shutil.copytree(resource(kind), folder / kind, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    shutil.copyfile(shipped_recipe("default"), folder / "recipe.toml")
    shutil.copyfile(shipped_recipe("study"), folder / "study.toml")
    print(f"{folder / 'recipe.toml'}: edit it, then run `prbgen generate {folder / 'recipe.toml'}`")
    study = folder / "study.toml"
    print(f"{study}: reward models to study on what comes out; edit it, then run `prbgen study {study}`")
    *others, last = dict.fromkeys(kind.partition("/")[0] for kind in COPIED)
    where = f"{', '.join(others)} and {last}"
    print(f"{folder}: edit what you like in {where}; a file that you delete falls back to the shipped one")
    return 0
