"""A panel of raters who fill in sheets with sense: a rated run as a campaign leaves it."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from prbgen.cli import main
from prbgen.run import Run
from prbgen.schema import Pair
from tests.annotation.conftest import RECIPE, roster
from tests.annotation.plan.rated_pairs import rated_pairs, write

NAMES = ("ada", "ben", "cleo")
Row = Mapping[str, str]
Answer = Callable[[random.Random, Row, str], str]


def rated_run(folder: Path, questions: int = 60, pairs: Sequence[Pair] | None = None) -> Run:
    """A run with a pair of each of two strategies on every question; nobody has rated it yet."""
    folder.mkdir(parents=True)
    (folder / "recipe.toml").write_text(RECIPE)
    (folder / "ledger.sqlite").touch()
    write(folder, rated_pairs(questions) if pairs is None else pairs)
    return Run(folder)


def sense(chance: random.Random, row: Row, column: str) -> str:
    """What a careful rater answers: both answers are good in general, the chosen one suits the asker.

    Of every tenth question's pairs neither suits better; chosen is the better answer in general as often as rejected.
    """
    if column == "better":
        if _suits(row, "a") and _suits(row, "b") and _name(row).endswith("0"):
            return "equal"
        return "A" if _suits(row, "a") > _suits(row, "b") else "B"
    if column == "comment":
        return "She rides the tram; write to ada@lovelace.org."
    question, _, side = column.rpartition("_")
    suits = _suits(row, side)
    if question == "covers":
        return "1;2;3" if suits == 2 else "none"
    if question == "adherence":
        return str(chance.choice((4, 5)) if suits == 2 else chance.choice((1, 2)))
    return str(_quality(row, suits) if suits else 1)


def careless(chance: random.Random, row: Row, column: str) -> str:
    """What somebody answers who does not read."""
    if column == "better":
        return chance.choice("AB")
    return "none" if column.startswith("covers") else str(chance.randint(1, 5)) if column != "comment" else ""


def rate(run: Run, round_: str, folder: Path, *words: str, answers: Mapping[str, Answer] | None = None) -> None:
    """Push a round on sheets, have them filled in, pull it. `answers` by rater; everybody else answers with sense."""
    names = tuple(dict.fromkeys((*NAMES, *(answers or {}))))
    per_item = ("--raters-per-item", str(len(names)))
    _prbgen("push", run, round_, "--to", folder, "--raters", roster(folder.parent, names), *per_item, *words)
    for sheet in sorted(folder.glob("*.csv")):
        _fill(sheet, (answers or {}).get(sheet.stem, sense))
    _prbgen("pull", run, round_, "--from", folder, "--close")


def rate_further(run: Run, round_: str, folder: Path, name: str, per_item: int) -> None:
    """Have a further rater with sense rate a round that is closed: reopened, and closed again."""
    words = ("--raters-per-item", str(per_item), "--reopen")
    _prbgen("push", run, round_, "--to", folder, "--raters", roster(folder.parent, (name,)), *words)
    for sheet in folder.glob(f"{name}*.csv"):
        _fill(sheet, sense)
    _prbgen("pull", run, round_, "--from", folder, "--close")


def rate_both(run: Run, folder: Path, *words: str, answers: Mapping[str, Answer] | None = None) -> None:
    """The rounds quality and rubric."""
    for round_ in ("quality", "rubric"):
        (folder / round_).mkdir(parents=True)
        rate(run, round_, folder / round_ / "sheets", *words, answers=answers)


def _suits(row: Row, side: str) -> int:
    """2: the chosen answer to this question, 1: the rejected one, 0: an answer to another question."""
    name = _name(row)
    answer = row[f"answer_{side}"]
    if f" {name} " not in answer:
        return 0
    return 2 if answer.startswith("Good") else 1


def _quality(row: Row, suits: int) -> int:
    number = int(_name(row).rsplit(" ", 1)[1])
    better = {1: 2, 3: 1}.get(number % 4)
    return 5 if better == suits or (better is None and number % 8) else 4


def _name(row: Row) -> str:
    """That of the pair, which ends with the number of its question."""
    return row["question"].removeprefix("Question ").removesuffix("?")


def _fill(sheet: Path, answer: Answer) -> None:
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    names = [cell.partition(":")[0].strip() for cell in head]
    asked = names[names.index("answer_b") + 1 :]
    with sheet.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        for cells in rows:
            row = dict(zip(names, cells, strict=True))
            # Not by the order of the rows, which is by chance.
            chance = random.Random("|".join((sheet.stem, row["answer_a"], row["answer_b"])))
            writer.writerow([(answer(chance, row, name) if name in asked else row[name]) for name in names])


def _prbgen(action: str, run: Run, round_: str, *words: Any) -> None:
    assert main(["annotate", action, str(run.folder), "--round", round_, *map(str, words), "--json"]) == 0
