"""Which recipe, which run and which questions: what is given wins over the recipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.api.recipes import beside, recipe_of, run_of
from prbgen.errors import InputError
from prbgen.recipe import load_recipe


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "films.toml"
    path.write_text('[source]\npath = "samples"\nlimit = 5\nids = ["a"]\n[models]\nanswer = "openai/gpt-4o"\n')
    return path


def test_the_recipe_is_taken_as_it_is_where_nothing_else_is_given(recipe: Path) -> None:
    for each in (recipe, str(recipe), load_recipe(recipe)):
        source = recipe_of(each).source
        assert (source.limit, source.ids, source.subsets) == (5, ("a",), ())


def test_what_is_given_wins_over_the_recipe(recipe: Path) -> None:
    for each in (recipe, load_recipe(recipe)):
        source = recipe_of(each, limit=0, subset=["one", "two"], ids=" b, c,").source
        assert (source.limit, source.ids, source.subsets) == (0, ("b", "c"), ("one", "two"))
        source = recipe_of(each, subset="one", ids=["b,c"]).source
        assert (source.ids, source.subsets) == (("b,c",), ("one",))


def test_ids_may_stand_in_a_file(recipe: Path, tmp_path: Path) -> None:
    file = tmp_path / "ids.txt"
    file.write_text("b\n\n c \n")
    assert recipe_of(recipe, ids=f"@{file}").source.ids == ("b", "c")
    file.write_bytes(b"\xff\n")
    for name in (file, tmp_path / "none"):
        with pytest.raises(InputError, match=f"--ids: {name}"):
            recipe_of(recipe, ids=f"@{name}")


@pytest.mark.parametrize("ids", ["", ",", " , ", []])
def test_an_empty_list_of_ids_does_not_mean_all(recipe: Path, ids: str | list[str]) -> None:
    with pytest.raises(InputError, match="--ids names no question"):
        recipe_of(recipe, ids=ids)


def test_a_limit_that_cannot_be_is_refused_of_a_file_and_of_a_recipe(recipe: Path) -> None:
    for each in (recipe, load_recipe(recipe)):
        with pytest.raises(InputError, match="limit"):
            recipe_of(each, limit=-1)


def test_the_run_lies_beside_the_recipe_s_file_unless_it_is_named(recipe: Path, tmp_path: Path) -> None:
    assert run_of(recipe).folder == tmp_path / "runs" / "films"
    assert run_of(recipe, "elsewhere").folder == Path("elsewhere")
    own = load_recipe(recipe)
    assert beside(own, run_of(own, "elsewhere")) == Path("elsewhere")
    with pytest.raises(InputError, match="--run"):
        run_of(own)
