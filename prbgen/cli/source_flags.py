"""The flags that say which recipe, which run and which questions: one meaning for all commands that take a recipe."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from prbgen.errors import InputError
from prbgen.recipe import Recipe, load_recipe
from prbgen.run import Run


def add_source_flags(parser: argparse.ArgumentParser) -> None:
    """`RECIPE [--run DIR] [--limit N] [--subset NAME] [--ids ID,ID|@FILE]`."""
    parser.add_argument("recipe", metavar="RECIPE", type=Path, help="recipe.toml; `prbgen init DIR` writes one")
    parser.add_argument("--run", metavar="DIR", type=Path, help="the run folder (default: runs/NAME beside the recipe)")
    parser.add_argument("--limit", metavar="N", type=int, help="only the first N questions; 0: all")
    parser.add_argument("--subset", metavar="NAME", action="append", help="only this subset (may be repeated)")
    parser.add_argument("--ids", metavar="ID,ID|@FILE", help="only these questions; a file has one id a line")


def recipe_of(arguments: argparse.Namespace) -> Recipe:
    """The recipe, with what the flags say instead of it.

    Raises:
        InputError: recipe or flags are wrong.
    """
    overrides: dict[str, Any] = {}
    if arguments.limit is not None:
        overrides["limit"] = arguments.limit
    if arguments.subset:
        overrides["subsets"] = arguments.subset
    if arguments.ids is not None:
        overrides["ids"] = _ids(arguments.ids)
        if not overrides["ids"]:
            raise InputError("--ids names no question")
    return load_recipe(arguments.recipe, {"source": overrides})


def run_of(arguments: argparse.Namespace) -> Run:
    """The run folder, whether it is there or not."""
    recipe: Path = arguments.recipe
    return Run(arguments.run or recipe.parent / "runs" / recipe.stem)


def _ids(text: str) -> list[str]:
    if not text.startswith("@"):
        return [part.strip() for part in text.split(",") if part.strip()]
    file = Path(text[1:])
    try:
        return [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--ids: {file}: {getattr(error, 'strerror', None) or error}") from None
