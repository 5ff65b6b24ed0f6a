"""Flags that mean the same for every command that takes a recipe."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from prbgen.cli.source_flags import add_source_flags, recipe_of, run_of
from prbgen.errors import InputError


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "films.toml"
    path.write_text('[source]\npath = "samples"\nlimit = 5\nids = ["a"]\n[models]\nanswer = "openai/gpt-4o"\n')
    return path


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_source_flags(parser)
    return parser.parse_args(words)


def test_without_flags_the_recipe_is_taken_as_it_is(recipe: Path) -> None:
    source = recipe_of(parsed(str(recipe))).source
    assert (source.limit, source.ids, source.subsets) == (5, ("a",), ())


def test_flags_win_over_the_recipe(recipe: Path) -> None:
    words = (str(recipe), "--limit", "0", "--subset", "one", "--subset", "two", "--ids", " b, c,")
    source = recipe_of(parsed(*words)).source
    assert (source.limit, source.ids, source.subsets) == (0, ("b", "c"), ("one", "two"))


def test_ids_may_stand_in_a_file(recipe: Path, tmp_path: Path) -> None:
    file = tmp_path / "ids.txt"
    file.write_text("b\n\n c \n")
    assert recipe_of(parsed(str(recipe), "--ids", f"@{file}")).source.ids == ("b", "c")
    file.write_bytes(b"\xff\n")
    for name in (file, tmp_path / "none"):
        with pytest.raises(InputError, match=f"--ids: {name}"):
            recipe_of(parsed(str(recipe), "--ids", f"@{name}"))


@pytest.mark.parametrize("ids", ["", ",", " , "])
def test_an_empty_list_of_ids_does_not_mean_all(recipe: Path, ids: str) -> None:
    with pytest.raises(InputError, match="--ids names no question"):
        recipe_of(parsed(str(recipe), "--ids", ids))


def test_the_run_lies_beside_the_recipe_unless_a_flag_says_otherwise(recipe: Path, tmp_path: Path) -> None:
    assert run_of(parsed(str(recipe))).folder == tmp_path / "runs" / "films"
    assert run_of(parsed(str(recipe), "--run", "elsewhere")).folder == Path("elsewhere")
