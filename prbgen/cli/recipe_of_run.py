"""`--recipe`: what a run is to go by that was written into its recipe after `generate`."""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.recipe import Recipe, load_recipe
from prbgen.run import Run, whole_file


def add_recipe_flag(parser: argparse.ArgumentParser, table: str) -> None:
    """`--recipe FILE`, for one table."""
    told = f"take [{table}] from this recipe, and keep it in the run (default: RUN/recipe.toml)"
    parser.add_argument("--recipe", metavar="FILE", type=Path, help=told)


def recipe_of_run(run: Run, own: Path | None, table: str) -> Recipe:
    """The recipe of a run, with `table` from the recipe `own`; it is written into the run. The run must be locked.

    Raises:
        PrbgenError: a recipe is not valid, or the disk refuses.
    """
    recipe = load_recipe(run.recipe)
    if own is None:
        return recipe
    merged = recipe.model_copy(update={table: getattr(load_recipe(own), table)})
    if merged != recipe:
        with whole_file(run.recipe) as file:
            file.write(merged.to_toml())
    return merged
