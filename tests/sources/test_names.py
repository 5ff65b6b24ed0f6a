from __future__ import annotations

import pytest

from prbgen.recipe import SourceSettings
from prbgen.schema import SUBSETS
from prbgen.sources.names import Selection, proper_split, proper_subset, split_in_path, subset_in_path

ART, LIFE, SOCIETY = SUBSETS


def asked(*subsets: str, split: str = "test") -> Selection:
    return Selection.of(SourceSettings(path="x", subsets=subsets, split=split))


@pytest.mark.parametrize("name", ["Art & Entertainment", "art_and_entertainment", "ART-AND ENTERTAINMENT"])
def test_a_category_may_spell_a_subset_in_its_own_way(name: str) -> None:
    assert proper_subset(name, SUBSETS) == ART
    assert asked(name).subsets == (ART,)


def test_a_category_of_no_subset_names_none() -> None:
    assert proper_subset("Art", SUBSETS) is None
    assert proper_subset("", SUBSETS) is None


@pytest.mark.parametrize(
    ("path", "subset"),
    [
        ("lamp/Art_and_Entertainment/test.json", ART),
        ("lamp/test_art_and_entertainment.json", ART),
        ("lamp/myArt_and_Entertainment2.json", ART),
        ("Society and Culture/lifestyle-and-personal-development.json", LIFE),
        ("lamp/cooking_test.json", "cooking"),
        ("lamp/recooking_test.json", None),
        ("cooking/Society_and_Culture.json", SOCIETY),
        ("lamp/test.json", None),
    ],
)
def test_paths_name_subsets(path: str, subset: str | None) -> None:
    assert subset_in_path(path, asked("cooking")) == subset


@pytest.mark.parametrize(
    ("path", "above", "split"),
    [
        ("Art/test.json", "lamp", "test"),
        ("Art_test.json", "lamp", "test"),
        ("test-00000-of-00002.parquet", "lamp", "test"),
        ("Valid.json", "lamp", "validation"),
        ("dev/part1.json", "lamp", "validation"),
        ("test/train.json", "lamp", "train"),
        ("contest.json", "lamp", None),
        ("latest.json", "train", "train"),
        ("latest.json", "train_of_thought", None),
        ("holdout.json", "lamp", "holdout"),
        ("test_holdout.json", "lamp", "holdout"),
    ],
)
def test_paths_name_splits(path: str, above: str, split: str | None) -> None:
    assert split_in_path(path, above, asked(split="holdout")) == split


def test_dev_and_valid_mean_validation() -> None:
    assert [proper_split(name) for name in ("dev", "valid", "Validation", "test", "holdout")] == [
        "validation",
        "validation",
        "validation",
        "test",
        "holdout",
    ]


@pytest.mark.parametrize(
    ("path", "split"),
    [("x/rows.json", None), ("dev.json", "validation"), ("test/x_train_unvalidated.json", "train_unvalidated")],
)
def test_a_path_names_its_split_also_where_none_is_asked_for(path: str, split: str | None) -> None:
    assert split_in_path(path, "data", Selection.of_pairs((), "")) == split


def test_all_subsets_and_splits_are_taken_where_none_is_asked_for() -> None:
    every, some = Selection.of_pairs((), ""), Selection.of_pairs(("Art & Entertainment",), "dev")
    assert (every.takes("x"), every.takes_split("x"), every.takes_split("")) == (True, True, True)
    assert (some.takes(ART), some.takes(LIFE), some.takes_split("validation"), some.takes_split("")) == (
        True,
        False,
        True,
        False,
    )
