"""`prbgen generate`: what it refuses, and that it touches nothing that is not its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main
from prbgen.recipe import load_recipe

ROW: dict[str, Any] = {"id": "0_0_0", "question": "Which film?", "profile": [], "narrative": None, "category": None}
ASPECTS = [{"aspect": "Is short", "evidence": "short", "reason": "Time."}]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "films_test.jsonl").write_text(json.dumps(ROW | {"rubric_aspects": ASPECTS}) + "\n")
    (folder / "model.jsonl").write_text('{"reply": "A play, {digest}."}\n')
    (folder / "recipe.toml").write_text(
        '[source]\npath = "films_test.jsonl"\n[models]\nanswer = "scripted/model.jsonl"\n'
    )
    return folder / "recipe.toml"


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def error_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(words) == 2
    err = capsys.readouterr().err
    assert len(err.strip().splitlines()) == 1
    return err


@pytest.mark.parametrize("name", ["", ".", "other"])
def test_a_folder_with_other_things_in_it_is_no_run_folder(
    recipe: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(recipe.parent)
    other = recipe.parent / "other"
    for file in ("prompts/answer.j2", "dataset/mine.txt", "recipe.toml"):
        (other / file).parent.mkdir(parents=True, exist_ok=True)
        (other / file).write_text("mine")
    before = files(recipe.parent)
    assert "neither empty nor a run" in error_of(["generate", str(recipe), "--run", name], capsys)
    assert files(recipe.parent) == before


def test_a_command_that_fails_leaves_an_earlier_build_as_it_was(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", str(recipe)]) == 0
    run = recipe.parent / "runs" / "recipe"
    before = files(run)
    recipe.write_text(recipe.read_text().replace("films_test", "nowhere"))
    assert "nowhere.jsonl" in error_of(["generate", str(recipe)], capsys)
    assert files(run) == before


def test_a_command_that_brings_no_pair_leaves_those_that_are_there(recipe: Path) -> None:
    dataset = recipe.parent / "runs" / "recipe" / "dataset"
    assert main(["generate", str(recipe), "--ids", "nope"]) == 1
    assert not dataset.exists()
    assert main(["generate", str(recipe)]) == 0
    pairs = (dataset.parent / "pairs.jsonl").read_bytes()
    assert main(["generate", str(recipe), "--ids", "nope"]) == 1
    assert (dataset.parent / "pairs.jsonl").read_bytes() == pairs
    assert dataset.exists()


@pytest.mark.parametrize("ids", ["", ",", "@empty"])
def test_an_empty_list_of_ids_does_not_mean_all(
    recipe: Path, ids: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(recipe.parent)
    Path("empty").touch()
    assert "--ids names no question" in error_of(["generate", str(recipe), "--ids", ids], capsys)


def test_the_recipe_of_a_run_builds_the_same_pairs_from_anywhere(
    recipe: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert main(["generate", str(recipe)]) == 0
    run = recipe.parent / "runs" / "recipe"
    pairs = (run / "pairs.jsonl").read_bytes()
    monkeypatch.chdir(tmp_path)
    assert main(["generate", str(run / "recipe.toml"), "--run", str(run)]) == 0
    assert (run / "pairs.jsonl").read_bytes() == pairs
    assert load_recipe(run / "recipe.toml") == load_recipe(recipe)


def test_prompts_beside_the_recipe_are_used_kept_in_the_run_and_named_by_their_hash(recipe: Path) -> None:
    assert main(["generate", str(recipe)]) == 0
    run = recipe.parent / "runs" / "recipe"
    shipped = json.loads((run / "pairs.jsonl").read_text())["provenance"]["prompts"]["answer"]
    # Both sides get the same prompt, so they are copies: that is not what this is about.
    recipe.write_text(recipe.read_text() + '[checks]\nmode = "report"\n')
    own = recipe.parent / "prompts" / "parts" / "task.j2"
    own.parent.mkdir(parents=True)
    own.write_text("{# inputs: question #}Answer {{ question }} in verse.")
    (recipe.parent / "prompts" / "answer.j2").write_text('{% block user %}{% include "parts/task.j2" %}{% endblock %}')
    assert main(["generate", str(recipe)]) == 0
    changed = json.loads((run / "pairs.jsonl").read_text())["provenance"]["prompts"]["answer"]
    assert changed != shipped
    assert (run / "prompts" / "parts" / "task.j2").read_bytes() == own.read_bytes()


def test_a_card_that_fails_in_any_way_is_one_line(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cards = recipe.parent / "data_cards"
    cards.mkdir()
    for text in ("{{ 1 / 0 }}", '{{ figures.pairs + "x" }}', "{{ 3 | yaml }}"):
        (cards / "dataset_card.md.j2").write_text(text)
        assert "the card cannot be filled" in error_of(["generate", str(recipe)], capsys)


def test_control_characters_of_a_provider_do_not_reach_the_terminal(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = {"fault": {"kind": "auth", "message": "no\u001b]0;title\u0007\nkey"}}
    (recipe.parent / "model.jsonl").write_text(json.dumps(fault) + "\n")
    err = error_of(["generate", str(recipe)], capsys)
    assert "\u001b" not in err
    assert "\u0007" not in err


@pytest.mark.parametrize("word", ["\udcff", "x\udcff"])
def test_an_argument_that_is_no_text_is_refused(recipe: Path, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not UTF-8 text" in error_of(["generate", str(recipe), "--run", word], capsys)


def test_a_closed_or_narrow_stdout_is_no_fault(recipe: Path) -> None:
    line = f"{sys.executable} -m prbgen generate {recipe}"
    for redirected in (f"{line} >&-", f"PYTHONIOENCODING=ascii {line}"):
        done = subprocess.run(redirected, shell=True, capture_output=True, text=True, timeout=60)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False)


def test_a_narrower_command_leaves_the_other_pairs_as_they_are(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = recipe.parent / "films_test.jsonl"
    source.write_text(source.read_text() + source.read_text().replace("0_0_0", "0_1_0"))
    assert main(["generate", str(recipe)]) == 0
    pairs = (recipe.parent / "runs" / "recipe" / "pairs.jsonl").read_bytes()
    capsys.readouterr()
    assert main(["generate", str(recipe), "--limit", "1"]) == 0
    assert "1 pairs, 0 rejected (1 more in the run)" in capsys.readouterr().out
    assert (recipe.parent / "runs" / "recipe" / "pairs.jsonl").read_bytes() == pairs
