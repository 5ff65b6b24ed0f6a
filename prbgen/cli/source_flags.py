"""The flags that say which recipe, which run and which questions: one meaning for all commands that take a recipe."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_source_flags(parser: argparse.ArgumentParser) -> None:
    """`RECIPE [--run DIR] [--limit N] [--subset NAME] [--ids ID,ID|@FILE]`."""
    parser.add_argument("recipe", metavar="RECIPE", type=Path, help="recipe.toml; `prbgen init DIR` writes one")
    parser.add_argument("--run", metavar="DIR", type=Path, help="the run folder (default: runs/NAME beside the recipe)")
    parser.add_argument("--limit", metavar="N", type=int, help="only the first N questions; 0: all")
    parser.add_argument("--subset", metavar="NAME", action="append", help="only this subset (may be repeated)")
    parser.add_argument("--ids", metavar="ID,ID|@FILE", help="only these questions; a file has one id a line")
