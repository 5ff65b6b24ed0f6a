"""What is read of the data, and what is kept of it."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.evaluation.conditions.message import message
from prbgen.evaluation.conditions.prepared import prepared
from prbgen.evaluation.settings import CONDITIONS, Condition, DataSettings
from prbgen.llm.templates import Prompts
from prbgen.publication.stage import stage
from prbgen.run import Run, as_line
from tests.evaluation.asking_rows import ASPECT, EVIDENCE, NARRATIVE, REASON, pair_row, plain_row
from tests.processes import python
from tests.publication.conftest import build_pair
from tests.publication.reports import build_validation
from tests.sources.lamp_rows import SUFFIXES, write

ART, SOCIETY = "Art_and_Entertainment", "Society_and_Culture"


def refusal(place: Path, condition: Condition = "none", **asked: Any) -> str:
    settings = DataSettings(str(place), **asked)
    with pytest.raises(InputError) as caught, prepared(settings, condition, 3, place.parent):
        pass
    assert "\n" not in str(caught.value)
    return str(caught.value)


def split_of(place: Path, **asked: Any) -> str | None:
    with prepared(DataSettings(str(place), **asked), "none", 3, place.parent) as pairs:
        return pairs.split


@pytest.mark.parametrize("condition", CONDITIONS)
def test_only_what_the_condition_needs_is_kept(keep: Any, condition: Condition) -> None:
    kept = keep([pair_row(0), pair_row(1)], condition)
    texts = "".join(pair.model_dump_json() for pair in kept)
    assert not any(word in texts for word in (EVIDENCE, REASON, NARRATIVE))
    assert (ASPECT in texts) == (condition == "oracle")
    assert ("Post 2 of user 0" in texts) == (condition in ("profile", "planner", "shuffled"))
    assert "Post 3" not in texts
    for number, pair in enumerate(kept):
        same = {key: value for key, value in pair_row(number).items() if key in type(pair).model_fields}
        assert pair.model_dump(exclude={"posts", "aspects", "subset"}) == same | {"lacking": None, "posts_lost": 0}


def test_posts_without_text_are_passed_over_among_the_first_ones(keep: Any) -> None:
    row = pair_row(0)
    row["profile"][1]["text"] = ""
    row["profile"][2]["text"] = " "
    [pair] = keep([row], "profile", posts=3)
    assert [post.text for post in pair.posts] == ["Post 0 of user 0.", " "]


def test_a_pair_that_lacks_something_is_kept_and_says_what(keep: Any) -> None:
    rows = [
        pair_row(0, question=" ", rejected="\n"),
        pair_row(1, rubric_aspects=[]),
        pair_row(2, rubric_aspects=None, chosen=""),
        pair_row(3),
        pair_row(4, profile=None),
    ]
    assert [pair.lacking for pair in keep(rows, "none")] == ["no question, rejected", None, "no chosen", None, None]
    assert [pair.lacking for pair in keep(rows, "profile")] == ["no question, rejected", None, "no chosen", None, None]
    assert [pair.lacking for pair in keep(rows, "oracle")] == [
        "no question, rejected",
        "no rubric_aspects",
        "no chosen, rubric_aspects",
        None,
        None,
    ]


def test_what_lacks_is_what_the_published_script_says(keep: Any, script: ModuleType) -> None:
    rows = [
        pair_row(0, question=" "),
        pair_row(1, chosen=""),
        pair_row(2, rubric_aspects=[]),
        pair_row(3),
        pair_row(4, profile=None, rubric_aspects=None),
        pair_row(5, profile=[]),
    ]
    for condition in ("none", "profile", "oracle"):
        options = Namespace(condition=condition, posts=3)
        items = [script.evaluate(lambda _, __: {"outcome": "win"}, options, "", row) for row in rows]
        assert [pair.lacking for pair in keep(rows, condition)] == [item["reason"] for item in items]


def test_an_unknown_profile_shows_what_an_empty_one_does_as_in_the_published_script(
    keep: Any, script: ModuleType, prompts: Prompts
) -> None:
    rows = [pair_row(0, profile=None), pair_row(1, profile=[]), pair_row(2), pair_row(3)]
    conditions: dict[Condition, str] = {"profile": "profile", "shuffled": "none"}
    for condition, theirs in conditions.items():
        for pair, row in list(zip(keep(rows, condition), rows, strict=True))[:2]:
            told = message(pair, condition, 3, prompts)
            assert told == script.user_message(row, theirs, 3) == row["question"]
            assert pair.lacking is None


@pytest.mark.parametrize("condition", ["profile", "planner", "shuffled"])
def test_data_without_profiles_is_refused_where_they_are_needed(tmp_path: Path, condition: Condition) -> None:
    place = write(tmp_path / "x.jsonl", [plain_row(0), plain_row(1, profile=None)])
    assert refusal(place, condition) == (
        f"x.jsonl: --condition {condition} needs the column profile, and no pair has anything in it;"
        " --condition none needs none"
    )


def test_data_without_rubrics_is_refused_under_oracle(tmp_path: Path) -> None:
    place = write(tmp_path / "x.jsonl", [pair_row(0, rubric_aspects=None), pair_row(1, rubric_aspects=[])])
    assert refusal(place, "oracle").startswith("x.jsonl: --condition oracle needs the column rubric_aspects, and no")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_plain_pairs_of_other_makers_are_evaluated_in_any_file(keep: Any, tmp_path: Path, suffix: str) -> None:
    def told(answer: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": answer}]

    bench = keep(write(tmp_path / f"bench.{suffix}", [plain_row(0), plain_row(1, subset="maths")]), "none")
    assert [(pair.key, pair.subset, pair.question, pair.chosen) for pair in bench] == [
        ("chat/0", "chat", "Why 0?", "good 0"),
        ("maths/1", "maths", "Why 1?", "good 1"),
    ]
    chats = write(tmp_path / f"chats.{suffix}", [{"chosen": told("Because."), "rejected": told("No.")}] * 2)
    first, second = keep(chats, "none")
    assert (first.question, first.chosen, first.rejected) == ("Why?", "Because.", "No.")
    assert first.key != second.key


def test_one_name_for_two_pairs_is_refused_with_both_places(tmp_path: Path) -> None:
    place = write(tmp_path / "x.jsonl", [pair_row(0), pair_row(1), pair_row(2, pair_id="p0")])
    assert refusal(place) == (
        "x.jsonl: x.jsonl:line 1 and x.jsonl:line 3 are both the pair p0, by which results are joined; leave out one"
        " of them or give them a pair_id each"
    )
    assert "x.jsonl:line 1 and x.jsonl:line 2 are both the pair chat/0" in refusal(
        write(tmp_path / "x.jsonl", [plain_row(0), plain_row(0)])
    )
    assert split_of(write(tmp_path / "z.jsonl", [plain_row(0), plain_row(0, subset="maths")])) is None


def test_the_digest_tells_all_that_a_condition_might_show_and_is_one_for_all_conditions(
    tmp_path: Path,
) -> None:
    def digest(rows: list[dict[str, Any]], condition: Condition = "none", name: str = "x", **asked: Any) -> str:
        place = write(tmp_path / f"{name}.jsonl", rows)
        with prepared(DataSettings(str(place), **asked), condition, 3, tmp_path) as pairs:
            return pairs.digest

    rows = [pair_row(0), pair_row(1), pair_row(2)]
    assert {digest(rows, condition, name) for condition in CONDITIONS for name in ("x", "y")} == {digest(rows)}
    assert {digest(rows, condition, limit=2) for condition in CONDITIONS} == {digest(rows[:2])}
    others = [
        rows[::-1],
        rows[:2],
        [*rows[:2], pair_row(2, pair_id="p9")],
        [*rows[:2], pair_row(2, question="?")],
        [*rows[:2], pair_row(2, chosen="?")],
        [*rows[:2], pair_row(2, rejected="?")],
        [*rows[:2], pair_row(2, category=None)],
        [*rows[:2], pair_row(2, profile=None)],
        [*rows[:2], pair_row(2, profile=[])],
        [*rows[:2], pair_row(2, posts=5)],  # more than are shown
        [*rows[:2], pair_row(2, profile=pair_row(1)["profile"])],
        [*rows[:2], pair_row(2, rubric_aspects=pair_row(1)["rubric_aspects"])],
        [*rows[:2], pair_row(2, rubric_aspects=[])],
        [*rows[:2], pair_row(2, rubric_aspects=None)],
    ]
    assert len({digest(rows), *map(digest, others)}) == 1 + len(others)


def test_a_limit_takes_the_first_pairs(keep: Any) -> None:
    rows = [pair_row(number) for number in range(5)]
    for condition in CONDITIONS:
        assert [pair.key for pair in keep(rows, condition, limit=2)] == ["p0", "p1"]
    assert len(keep(rows, "none", limit=9)) == 5


def staged(tmp_path: Path, *, validated: int) -> Path:
    """A published dataset of two subsets and two source splits, of whose pairs people have validated some."""
    pairs = [
        build_pair(number, subset=SOCIETY if number % 2 else ART, split="train" if number > 3 else "test")
        for number in range(6)
    ]
    place = tmp_path / "pairs.jsonl"
    place.write_text("".join(map(as_line, pairs)), encoding="utf-8")
    stage(place, tmp_path / "dataset", validation=build_validation(pairs, pairs[:validated]))
    return tmp_path / "dataset"


@pytest.mark.parametrize("validated", [1, 5])
def test_of_a_published_dataset_the_split_of_the_published_script_is_read(
    keep: Any, script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, validated: int
) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    folder = staged(tmp_path, validated=validated)
    options = Namespace(data=str(folder), config="all", split=None, condition="none", limit=None)
    split, jobs = script.read(options)
    assert split_of(folder) == split == "test"
    there = [rows[index]["pair_id"] for _, rows, index in jobs]
    assert [pair.pair_id for pair in keep(folder, "none")] == there
    assert [pair.subset for pair in keep(folder, "none")] == [subset for subset, _, _ in jobs]


def test_a_dataset_that_nobody_has_validated_is_refused_with_the_way_to_take_it(keep: Any, tmp_path: Path) -> None:
    folder = staged(tmp_path, validated=0)
    assert refusal(folder) == (
        f"{folder}: people have validated none of it yet (there is test_unvalidated, train_unvalidated);"
        " --split test_unvalidated takes it as it is"
    )
    assert split_of(folder, split="train_unvalidated") == "train_unvalidated"
    assert len(keep(folder, "none", split="test_unvalidated", subsets=(ART,))) == 2
    # Whoever names a file knows what it is.
    file = folder / "data" / ART / "test_unvalidated.parquet"
    assert (len(keep(file, "none")), split_of(file)) == (2, "test_unvalidated")


def test_a_run_is_evaluated_whole(keep: Any, tmp_path: Path) -> None:
    run = Run(tmp_path / "test_unvalidated")  # a split's name, which says nothing here
    run.folder.mkdir()
    run.recipe.write_text("")
    run.ledger.touch()
    pairs = [build_pair(0), build_pair(1, split="train"), build_pair(2, subset=SOCIETY)]
    run.pairs.write_text("".join(map(as_line, pairs)), encoding="utf-8")
    assert [pair.pair_id for pair in keep(run.folder, "none")] == [pair.pair_id for pair in pairs]
    assert split_of(run.folder) is None
    assert split_of(run.folder, subsets=(SOCIETY,)) == "test"
    assert [pair.pair_id for pair in keep(run.folder, "none", split="train")] == [pairs[1].pair_id]


def test_files_of_no_split_are_read_whole(keep: Any, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    for name in ("a", "b"):
        write(folder / f"{name}.jsonl", [plain_row(0, subset=name)])
    assert [pair.subset for pair in keep(folder, "none")] == ["a", "b"]
    assert split_of(folder) is None


def test_no_rows_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "x.jsonl"
    place.write_text("")
    assert refusal(place) == "x.jsonl: no rows"


def test_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    place = write(tmp_path / "x.jsonl", [pair_row(0), pair_row(1)])
    for condition in CONDITIONS:
        with pytest.raises(KeyboardInterrupt), prepared(DataSettings(str(place)), condition, 3, work):
            raise KeyboardInterrupt
    assert not list(work.iterdir())


def test_texts_do_not_stay_in_memory(tmp_path: Path) -> None:
    place = tmp_path / "x.jsonl"
    with place.open("w") as file:
        for number in range(150):
            row = pair_row(number)
            for post in row["profile"]:
                post["text"] += " long" * 1600
            file.write(json.dumps(row) + "\n")
    code = """
import sys, tracemalloc
import numpy
from pathlib import Path
from prbgen.evaluation.conditions.prepared import prepared
from prbgen.evaluation.settings import DataSettings
tracemalloc.start()
with prepared(DataSettings(sys.argv[1]), "shuffled", 3, Path(sys.argv[2])) as pairs:
    assert sum(len(pair.posts) for pair in pairs) == 450
print(tracemalloc.get_traced_memory()[1])
"""
    assert place.stat().st_size > 4_500_000
    assert int(python(code, str(place), str(tmp_path))) < 2_500_000
