"""Pairs of every origin, from real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.publication.stage import stage
from prbgen.schema import Post, PreferencePair
from prbgen.sources import PairSource, read_pairs
from prbgen.sources.users import user_key
from tests.publication.reports import build_validation
from tests.sources.lamp_rows import SUFFIXES, post, without, write
from tests.sources.pair_files import (
    ART,
    LIFE,
    OWN,
    SOCIETY,
    build_run,
    expected_of,
    names,
    own_pair,
    plain,
    refusal,
    released,
)

LONG = [f"Post {number}: " + "what I think of bread, " * 12 for number in range(4)]


def test_a_run_gives_its_pairs_with_their_calls(tmp_path: Path) -> None:
    folder = build_run(tmp_path / "test").folder  # a split's name, which says nothing here
    expected = [expected_of(pair, pair.provenance.split, (2, 1)) for pair in OWN]
    assert list(read_pairs(str(folder))) == expected
    assert list(read_pairs(str(folder / "pairs.jsonl"))) == expected
    assert names(list(read_pairs(str(folder), split="train"))) == ["01"]
    assert names(list(read_pairs(str(folder), subsets=["society & culture", "Cooking"]))) == ["10", "20"]


def test_a_staged_dataset_gives_the_pairs_it_was_made_of(tmp_path: Path) -> None:
    run = build_run(tmp_path / "run")
    stage(run.pairs, run.dataset, validation=build_validation(OWN, OWN[:1]))
    splits = [pair.provenance.split + ("" if pair is OWN[0] else "_unvalidated") for pair in OWN]
    expected = {pair.pair_id: expected_of(pair, split, None) for pair, split in zip(OWN, splits, strict=True)}
    found = list(read_pairs(str(run.dataset)))
    assert {pair.pair_id: pair for pair in found} == expected
    assert len(found) == len(OWN)
    assert names(list(read_pairs(str(run.dataset), split="test"))) == ["00"]
    assert names(list(read_pairs(str(run.dataset), split="test_unvalidated", subsets=["Cooking"]))) == ["20"]
    named = list(read_pairs(str(run.dataset / "data" / ART / "test_unvalidated.parquet")))
    assert named == [expected[OWN[2].pair_id]]


def test_a_dataset_of_one_subset_has_it_although_its_config_all_comes_first(tmp_path: Path) -> None:
    run = build_run(tmp_path / "run", [own_pair("00", "Cooking")])
    stage(run.pairs, run.dataset)
    assert [pair.subset for pair in read_pairs(str(run.dataset))] == ["Cooking"]


def test_ratings_beside_the_pairs_are_no_pairs(tmp_path: Path) -> None:
    write(tmp_path / "data" / "test.json", [plain("1")])
    write(tmp_path / "ratings" / "ratings.json", [{"rater": "r1"}])
    configs = [("all", "data/*"), ("ratings", "ratings/*")]
    lines = "".join(f"- config_name: {name}\n  data_files: {files}\n" for name, files in configs)
    (tmp_path / "README.md").write_text(f"---\nconfigs:\n{lines}---\n")
    [pair] = read_pairs(str(tmp_path))
    assert (pair.subset, pair.split) == ("", "test")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_kind_of_file_gives_the_same_pairs(tmp_path: Path, suffix: str) -> None:
    rows = [released("1"), released("2", narrative=None, category=None), released("3", rubric_aspects=[])]
    [first, second, third] = read_pairs(str(write(tmp_path / f"x.{suffix}", rows)))
    assert (first.id, first.question, first.chosen) == ("1", "What should I bake next, number 1?", "chosen 1")
    assert first.profile == (
        Post(category="cooking", id="1_0", text="How long does sourdough keep?"),
        Post(category="cooking", id="1_1", text="Is rye harder than wheat?"),
    )
    assert (first.subset, first.split, first.category) == ("", "", "Lifestyle & Personal Development")
    assert (second.narrative, second.category, third.rubric_aspects) == (None, None, ())
    assert (first.pair_id, first.strategy, first.generator, first.calls) == (None, None, None, None)


@pytest.mark.parametrize("suffix", ["jsonl.gz", "parquet"])
def test_pairs_of_other_makers_are_read(tmp_path: Path, suffix: str) -> None:
    def told(answer: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": answer}]

    def heard(answer: str) -> str:
        return f"\n\nHuman: Hi\n\nAssistant: Yes?\n\nHuman: Why?\n\nAssistant: {answer}"

    shapes = {
        "reward_bench": plain("?", prompt="Why?", chosen="Because.", rejected="No.", subset="chat", id=3),
        "ultrafeedback": {"prompt": "Why?", "prompt_id": "f0", "chosen": told("Because."), "rejected": told("No.")},
        "messages": {"chosen": told("Because."), "rejected": told("No.")},
        "hh": {"chosen": heard("Because."), "rejected": heard("No.")},
    }
    for name, shape in shapes.items():
        [pair] = read_pairs(str(write(tmp_path / f"{name}.{suffix}", [shape])))
        assert (pair.question, pair.chosen, pair.rejected, pair.profile) == ("Why?", "Because.", "No.", None), name


def test_one_row_alone_is_a_file(tmp_path: Path) -> None:
    [pair] = read_pairs(str(write(tmp_path / "x.jsonl", [{"chosen": "a", "rejected": "b"}])))
    assert (pair.id, pair.question, pair.profile) == ("x.jsonl:line 1", "", None)


def test_files_of_a_folder_say_subset_and_split(tmp_path: Path) -> None:
    for subset in (ART, SOCIETY):
        for split in ("test", "train"):
            write(tmp_path / subset / f"{split}.json", [released(f"{subset[0]}{split}")])
    found = [(pair.subset, pair.split, pair.id) for pair in read_pairs(str(tmp_path))]
    assert found == [
        (ART, "test", "Atest"),
        (ART, "train", "Atrain"),
        (SOCIETY, "test", "Stest"),
        (SOCIETY, "train", "Strain"),
    ]
    assert names(list(read_pairs(str(tmp_path), split="train", subsets=[SOCIETY]))) == ["Strain"]
    found_ones = f"{ART} (test, train); {SOCIETY} (test, train)"
    assert refusal(tmp_path, split="dev") == f"{tmp_path}: no split validation; found: {found_ones}"
    assert refusal(tmp_path, subsets=[LIFE]) == f"{tmp_path}: no subset {LIFE}; found: {found_ones}"
    nowhere = refusal(tmp_path, subsets=[LIFE], split="train")
    assert nowhere == f"{tmp_path}: no split train of subset {LIFE}; found: {found_ones}"


def test_rows_say_their_subset_where_no_file_does(tmp_path: Path) -> None:
    rows = [plain("1", subset="chat", id=1), plain("2", subset="maths", id=2), plain("3", id=3)]
    path = write(tmp_path / "filtered.parquet", rows)
    assert [(pair.subset, pair.id) for pair in read_pairs(str(path))] == [("chat", "1"), ("maths", "2"), ("", "3")]
    assert names(list(read_pairs(str(path), subsets=["maths"]))) == ["2"]
    assert refusal(path, subsets=["cooking", "chat"]) == (
        "filtered.parquet: no subset cooking; found: rows of no subset, chat, maths"
    )
    [pair] = read_pairs(str(write(tmp_path / f"{ART}.json", [plain("1", subset="chat")])))
    assert pair.subset == ART


def test_a_foreign_category_is_no_subset(tmp_path: Path) -> None:
    [pair] = read_pairs(str(write(tmp_path / "x.json", [plain("1", category="Art & Entertainment")])))
    assert (pair.subset, pair.category) == ("", "Art & Entertainment")


def test_of_several_splits_one_is_read_but_a_run_and_a_file_whole(tmp_path: Path) -> None:
    for split in ("train", "test"):
        write(tmp_path / "data" / f"{split}.json", [plain(split)])
    one = PairSource.at(str(tmp_path / "data"), one_split=True)
    assert [(pair.split, pair.chosen) for pair in one.read()] == [("train", "good train")]
    whole = PairSource.at(str(build_run(tmp_path / "test_unvalidated").folder), one_split=True)
    assert names(list(whole.read())) == [pair.id for pair in OWN]
    file = write(tmp_path / "test_unvalidated.jsonl", [plain("1")])
    assert [pair.split for pair in PairSource.at(str(file), one_split=True).read()] == ["test_unvalidated"]


def test_each_pair_can_be_had_with_its_place(tmp_path: Path) -> None:
    write(tmp_path / "data" / "a.json", [plain("1"), plain("2")])
    write(tmp_path / "data" / "b.jsonl", [plain("3")])
    source = PairSource.at(str(tmp_path / "data"))
    places, pairs = zip(*source.read_with_places(), strict=True)
    assert places == ("data/a.json:row 1", "data/a.json:row 2", "data/b.jsonl:line 1")
    assert list(pairs) == list(source.read())


def test_a_split_that_only_rows_could_say_is_refused_with_those_there_are(tmp_path: Path) -> None:
    folder = build_run(tmp_path / "run").folder
    assert refusal(folder, split="dev") == "run: no split validation; found: test, train"


def test_users_are_told_by_posts_and_by_questions(tmp_path: Path) -> None:
    def by(*texts: str, **more: Any) -> dict[str, Any]:
        return {"profile": [post(str(number), text) for number, text in enumerate(texts)], **more}

    rows = [
        released("0", **by(LONG[0])),
        released("1", **by(LONG[1], "Thanks!")),
        released("2", **by(LONG[2], LONG[0].upper())),
        released("3", **by("Thanks!")),
        released("4", **by("Thanks!", question=" what should i BAKE next, number 1?")),
        plain("5"),
        plain("6", prompt="why  5?"),
        without(plain("7"), "prompt"),
        without(plain("8"), "prompt"),
    ]
    keys = [pair.user_key for pair in read_pairs(str(write(tmp_path / "x.jsonl", rows)))]
    assert [keys.index(key) for key in keys] == [0, 1, 0, 3, 1, 5, 5, 7, 8]
    assert keys[0] == user_key("", "0")


def test_a_row_keeps_its_own_user_and_lends_it_to_those_that_have_none(tmp_path: Path) -> None:
    rows = [plain("1", user_key="mine"), plain("1"), plain("1", user_key=7), plain("2", user_key="mine")]
    keys = [pair.user_key for pair in read_pairs(str(write(tmp_path / "x.jsonl", rows)))]
    assert keys == ["mine", "mine", "7", "mine"]


def test_one_id_in_two_splits_is_not_one_user(tmp_path: Path) -> None:
    for split in ("test", "train"):
        write(tmp_path / f"{split}.json", [plain(split, id="0_0_0")])
    one, other = read_pairs(str(tmp_path))
    assert one.id == other.id
    assert one.user_key != other.user_key


def test_a_source_is_called_by_its_own_name(in_tmp_path: Path) -> None:
    path = write(in_tmp_path / "data" / "x.jsonl", [plain("1")])
    assert PairSource.at(str(path)).name == "x.jsonl"
    assert PairSource.at("data").name == PairSource.at("./data/").name == "data"
    write(in_tmp_path / "samples" / "y.jsonl", [plain("2")])
    assert [pair.chosen for pair in PairSource.at("samples").read()] == ["good 2"]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
FILLED = TEXT.filter(str.strip)
MAYBE = st.none() | FILLED
POSTS = st.fixed_dictionaries({"category": MAYBE, "id": TEXT, "text": TEXT})
ASPECTS = st.fixed_dictionaries({"aspect": FILLED, "evidence": MAYBE, "reason": MAYBE})
ROWS = st.fixed_dictionaries(
    {
        "id": FILLED,
        "question": TEXT,
        "profile": st.none() | st.lists(POSTS, max_size=3),
        "rubric_aspects": st.none() | st.lists(ASPECTS, max_size=3),
        "narrative": MAYBE,
        "category": MAYBE,
        "chosen": TEXT,
        "rejected": TEXT,
        "pair_id": MAYBE,
        "subset": st.just("") | FILLED,
        "user_key": FILLED,
        "strategy": MAYBE,
        "generator": MAYBE,
    }
)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pairs")


@given(rows=st.lists(ROWS, min_size=1, max_size=4), kind=st.sampled_from(["json", "jsonl", "parquet"]))
def test_what_is_written_is_read_again(scratch: Path, rows: list[dict[str, Any]], kind: str) -> None:
    found = list(read_pairs(str(write(scratch / f"x.{kind}", rows))))
    blank = [each | ({} if each["question"].strip() else {"question": ""}) for each in rows]
    assert found == [PreferencePair(**each, split="") for each in blank]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


PAIRS = st.fixed_dictionaries({"chosen": JSON, "rejected": JSON}, optional={"prompt": JSON})


@given(st.lists(JSON | PAIRS, max_size=3))
def test_any_rows_are_pairs_or_refused(scratch: Path, rows: list[Any]) -> None:
    path = scratch / "any.json"
    path.write_text(json.dumps(rows))
    found, message = [], ""
    try:
        found = list(read_pairs(str(path)))
    except InputError as error:
        message = str(error)
    assert len(found) == len(rows) > 0 or message.startswith("any.json:")
