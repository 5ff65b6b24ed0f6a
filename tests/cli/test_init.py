"""`prbgen init`: a folder to start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.cli import main
from prbgen.cli.init import COPIED
from prbgen.downstream.study.settings import read_study
from prbgen.recipe import load_recipe
from prbgen.resources import resource


def test_init_writes_a_valid_recipe_and_copies_of_all_that_may_be_edited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my bench"
    assert main(["init", str(folder)]) == 0
    _, study, edit = capsys.readouterr().out.splitlines()
    assert "prbgen study" in study
    assert read_study(folder / "study.toml").best_of_n
    assert edit.startswith(f"{folder}: edit what you like in prompts, annotation and data_cards;")
    assert load_recipe(folder / "recipe.toml").source.path == "alireza7/LaMP-QA"
    for kind in COPIED:
        shipped = {file.name for file in resource(kind).iterdir() if file.suffix != ".py" and file.is_file()}
        assert shipped
        assert {file.name for file in (folder / kind).iterdir()} == shipped
    # Servers are not edited.
    assert sorted(file.name for file in (folder / "annotation").iterdir()) == [
        "gold",
        "guidelines",
        "layout",
        "questions",
    ]


def test_init_never_touches_a_folder_that_is_not_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "recipe.toml").write_text("mine")
    assert main(["init", str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert (tmp_path / "recipe.toml").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1
