"""`--recipe`: what a run is to go by that was written into its recipe after `generate`."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_recipe_flag(parser: argparse.ArgumentParser, table: str) -> None:
    """`--recipe FILE`, for one table."""
    told = f"take [{table}] from this recipe, and keep it in the run (default: RUN/recipe.toml)"
    parser.add_argument("--recipe", metavar="FILE", type=Path, help=told)
