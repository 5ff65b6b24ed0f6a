"""Rounds without Argilla, through the command."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prbgen.annotation.campaign import EARLIER, Place
from prbgen.cli import main
from prbgen.run import Run, read_records
from prbgen.schema import Rating
from tests.annotation.conftest import Prbgen, roster
from tests.annotation.plan.rated_pairs import rated_pairs, write

NAMES = ("ada", "بدر", "cléo")


@pytest.fixture
def raters(tmp_path: Path) -> Path:
    return roster(tmp_path, NAMES)


def fill(sheet: Path, answer: Callable[[str], str]) -> None:
    """Fill a sheet in: `answer` by the name of a column, "" leaves it empty."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    names = [cell.partition(":")[0] for cell in head]
    with sheet.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(head)
        for row in rows:
            writer.writerow([answer(name) or cell for name, cell in zip(names, row, strict=True)])


def marks(mark: str) -> Callable[[str], str]:
    asked = ("factuality", "relevance", "helpfulness", "adherence")
    return lambda name: mark if name.startswith(asked) else ""


def rubric(better: str) -> Callable[[str], str]:
    answers = {"covers_a": "1", "covers_b": "none", "adherence_a": "4", "adherence_b": "2", "better": better}
    return lambda name: answers.get(name, "")


def current(run: Run) -> list[Rating]:
    return [each for each in read_records(Place.of(run, "quality").ratings, Rating) if each.gone is None]


def pulled(prbgen: Prbgen, folder: Path, *words: str, round_: str = "quality", code: int = 0) -> dict[str, Any]:
    return dict(prbgen("pull", "--round", round_, "--from", folder, *words, code=code)["rounds"][0])


def test_a_round_comes_back_as_it_was_filled_in(run: Run, prbgen: Prbgen, raters: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sheets"
    words = ("--round", "quality", "--to", folder, "--raters", raters)
    pushed = prbgen("push", *words)
    assert pushed["datasets"]["quality"]["raters"] == 3
    again = prbgen("push", *words)
    assert (again["created"], again["unchanged"]) == (0, pushed["created"])
    assert {each.stem for each in folder.glob("*.csv")} == set(NAMES)
    for sheet in folder.glob("*.csv"):
        fill(sheet, marks("4"))
    [standing] = prbgen("status", "--from", folder)["rounds"]
    assert standing["total"]["complete"] == standing["total"]["items"] == pushed["created"]
    got = pulled(prbgen, folder, "--close")
    assert (got["raters"], got["flagged"], got["sheets_missing"]) == (3, {}, 0)
    assert {each.value for each in current(run)} == {4}
    assert "rated on sheets" in prbgen("pull", "--round", "quality", code=2)
    assert "rated on sheets" in prbgen("status", code=2)


def test_a_sheet_that_is_missing_withdraws_nothing_and_is_said(
    run: Run, prbgen: Prbgen, raters: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sheets"
    prbgen("push", "--round", "quality", "--to", folder, "--raters", raters)
    for sheet in folder.glob("*.csv"):
        fill(sheet, marks("4"))
    pulled(prbgen, folder)
    before = current(run)
    (folder / "ada.csv").unlink()
    got = pulled(prbgen, folder, code=1)
    assert (got["withdrawn"], got["sheets_missing"]) == (0, 1)
    assert current(run) == before


def test_new_pairs_may_go_to_another_folder(run: Run, prbgen: Prbgen, raters: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    words = ("--round", "quality", "--raters", raters)
    pushed = prbgen("push", *words, "--to", first)
    write(run.folder, rated_pairs(8))
    more = prbgen("push", *words, "--to", second)
    assert more["unchanged"] == pushed["created"]
    for folder in (first, second):
        for sheet in folder.glob("*.csv"):
            fill(sheet, marks("3"))
        pulled(prbgen, folder)
    assert {each.item for each in current(run)} == {item.id for item in Place.of(run, "quality").read_items()}


def test_a_round_is_begun_afresh_only_when_the_sheets_of_the_earlier_one_are_in(
    run: Run, prbgen: Prbgen, raters: Path, tmp_path: Path
) -> None:
    words = ("--round", "quality", "--raters", raters)
    prbgen("push", *words, "--to", tmp_path / "one")
    assert "close it first" in prbgen("push", *words, "--to", tmp_path / "two", "--new", code=2)
    assert pulled(prbgen, tmp_path / "one", "--close")["complete"] == 0
    assert "is there already" in prbgen("push", *words, "--to", tmp_path / "one", "--new", code=2)
    assert not (run.annotation / EARLIER).exists()
    prbgen("push", *words, "--to", tmp_path / "two", "--new")
    [aside] = (run.annotation / EARLIER).iterdir()
    replaced = Place(aside).load()
    assert replaced is not None
    assert replaced.closed_at
    rubric_words = ("--round", "rubric", "--raters", raters, "--to", tmp_path / "three")
    assert "still in the round quality" in prbgen("push", *rubric_words, code=2)
    pulled(prbgen, tmp_path / "two", "--close")
    prbgen("push", *rubric_words)


def test_disagreements_go_to_a_senior_raters_sheet_and_come_back(
    run: Run, prbgen: Prbgen, raters: Path, tmp_path: Path
) -> None:
    folder, seniors = tmp_path / "sheets", tmp_path / "seniors"
    prbgen("push", "--round", "rubric", "--to", folder, "--raters", raters)
    for name, better in zip(NAMES, ("A", "B", "equal"), strict=True):
        fill(folder / f"{name}.csv", rubric(better))
    pulled(prbgen, folder, round_="rubric")
    case = prbgen("adjudicate", "--round", "rubric", "--to", seniors, "--raters", roster(tmp_path, ["prof"]))
    assert case["created"] == len(case["disagreements"]) == 10
    fill(seniors / "prof.csv", rubric("A"))
    got = pulled(prbgen, seniors, round_="rubric")
    assert got["senior"]
    ratings = list(read_records(Place.of(run, "rubric").adjudication.ratings, Rating))
    assert {each.value for each in ratings if each.question == "better"} == {"A"}
    assert {each.senior for each in ratings} == {True}


def test_where_all_agree_nothing_is_made_for_senior_raters(
    run: Run, prbgen: Prbgen, raters: Path, tmp_path: Path
) -> None:
    folder, seniors = tmp_path / "sheets", tmp_path / "seniors"
    prbgen("push", "--round", "rubric", "--to", folder, "--raters", raters)
    for name in NAMES:
        fill(folder / f"{name}.csv", rubric("A"))
    pulled(prbgen, folder, round_="rubric")
    case = prbgen("adjudicate", "--round", "rubric", "--to", seniors, "--raters", roster(tmp_path, ["prof"]))
    assert (case["created"], case["disagreements"]) == (0, [])
    assert not seniors.exists()
    assert not Place.of(run, "rubric").adjudication.folder.exists()


def test_all_raters_must_be_named_and_able_to_name_a_file(
    run: Run, prbgen: Prbgen, raters: Path, tmp_path: Path
) -> None:
    words = ("--round", "quality", "--to", tmp_path / "sheets")
    assert "--raters" in prbgen("push", *words, code=2)
    assert "makes no file name" in prbgen("push", *words, "--raters", roster(tmp_path, ["c", "d", "a:b"]), code=2)
    assert not (tmp_path / "sheets").exists()
    assert not run.annotation.exists()
    prbgen("push", *words, "--raters", raters)


def test_a_run_beside_what_init_wrote_uses_the_form_that_was_edited_there(
    run: Run, prbgen: Prbgen, raters: Path, tmp_path: Path
) -> None:
    guidelines = tmp_path / "annotation" / "guidelines" / "quality.md"
    guidelines.parent.mkdir(parents=True)
    guidelines.write_text("# Our own\n\nBe fair.\n")
    (tmp_path / "runs").mkdir()
    place = run.folder.rename(tmp_path / "runs" / "recipe")
    words = ("--round", "quality", "--to", str(tmp_path / "sheets"), "--raters", str(raters))
    assert main(["annotate", "push", str(place), *words]) == 0
    assert (tmp_path / "sheets" / "guidelines.md").read_text(encoding="utf-8").startswith("# Our own")
