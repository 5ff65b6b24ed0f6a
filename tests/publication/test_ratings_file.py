"""ratings/ratings.parquet."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from prbgen.publication.features import ratings_features
from prbgen.publication.ratings import RATINGS_FILE, RatingsWritten, write_ratings
from tests.publication.reports import build_rating, build_round, build_validation

CHOICE = {"question": "better", "shown": None, "label": "rejected", "value": "A"}
COVERS = {"question": "covers", "round": "rubric", "value": (1, 3)}


def rows(folder: Path) -> list[dict[str, Any]]:
    return list(pq.read_table(folder / RATINGS_FILE).to_pylist())


def test_each_kind_of_answer_has_a_column_of_its_own(tmp_path: Path) -> None:
    rounds = (
        build_round([build_rating("p", value=None), build_rating("q", **CHOICE), build_rating("r", value=5)]),
        build_round([build_rating("p", **COVERS), build_rating("q", **COVERS | {"value": ()})], name="rubric"),
    )
    write_ratings(tmp_path, build_validation([], rounds=rounds), {"p", "q", "r"})
    assert [(row["mark"], row["choice"], row["aspects"]) for row in rows(tmp_path)] == [
        (None, None, None),
        (None, "A", None),
        (5, None, None),
        (None, None, [1, 3]),
        (None, None, []),
    ]
    assert rows(tmp_path)[1] == {
        "round": "quality",
        "pair_id": "q",
        "item": "i-q",
        "kind": "pair",
        "rater": "r-1",
        "senior": False,
        "question": "better",
        "shown": None,
        "label": "rejected",
        "mark": None,
        "choice": "A",
        "aspects": None,
        "left_out": None,
    }


def test_raters_who_are_left_out_gold_and_repeated_items_and_seniors_are_all_there(tmp_path: Path) -> None:
    ratings = [
        build_rating("p"),
        build_rating("p", rater="r-2"),
        build_rating("g", kind="gold", label=None),
        build_rating("p", item="i-p-again", kind="repeat"),
    ]
    # A senior who rated in the round too, carelessly: as a senior they count.
    senior = [build_rating("p", rater="r-2", senior=True)]
    validation = build_validation([], rounds=(build_round(ratings, senior=senior),))
    written = write_ratings(tmp_path, validation, {"p"})
    assert [(row["item"], row["rater"], row["senior"], row["kind"], row["left_out"]) for row in rows(tmp_path)] == [
        ("i-g", "r-1", False, "gold", None),
        ("i-p", "r-1", False, "pair", None),
        ("i-p", "r-2", False, "pair", "too few gold items right"),
        ("i-p", "r-2", True, "pair", None),
        ("i-p-again", "r-1", False, "repeat", None),
    ]
    assert written == RatingsWritten(ratings=5, raters=2, of_others=1)


def test_a_rater_left_out_of_one_round_counts_in_another(tmp_path: Path) -> None:
    rounds = (
        build_round([build_rating("p", rater="r-2")]),
        build_round([build_rating("p", rater="r-2", **COVERS)], name="rubric"),
    )
    write_ratings(tmp_path, build_validation([], rounds=rounds), {"p"})
    assert [row["left_out"] for row in rows(tmp_path)] == ["too few gold items right", None]


def test_neither_times_nor_the_order_in_which_people_worked_are_told(tmp_path: Path) -> None:
    questions = ("factuality", "relevance")
    given = [(pair, rater, question) for pair in "pq" for rater in ("r-1", "r-2") for question in questions]
    ratings = [
        build_rating(pair, rater=rater, question=question, submitted_at=f"2026-11-02T10:00:0{number}Z")
        for number, (pair, rater, question) in enumerate(given)
    ]
    written = []
    for seed in range(3):
        random.Random(seed).shuffle(ratings)
        folder = tmp_path / str(seed)
        write_ratings(folder, build_validation([], rounds=(build_round(ratings),)), {"p", "q"})
        written.append((folder / RATINGS_FILE).read_bytes())
    assert written[0] == written[1] == written[2]
    assert b"2026-11-02" not in written[0]
    assert not any("time" in name or name.endswith("_at") for name in rows(tmp_path / "0")[0])


def test_the_types_do_not_depend_on_what_is_null_and_older_datasets_can_read_them(tmp_path: Path) -> None:
    from datasets import Features

    for name, rating in (("marks", build_rating("p")), ("choices", build_rating("p", **CHOICE))):
        write_ratings(tmp_path / name, build_validation([], rounds=(build_round([rating]),)), set())
    schemas = [pq.read_schema(tmp_path / name / RATINGS_FILE) for name in ("marks", "choices")]
    assert schemas[0].equals(schemas[1])
    assert schemas[0].metadata is None
    assert Features.from_arrow_schema(schemas[0]) == ratings_features()


def test_without_ratings_there_is_no_file(tmp_path: Path) -> None:
    assert write_ratings(tmp_path, build_validation([]), set()) is None
    assert list(tmp_path.iterdir()) == []
