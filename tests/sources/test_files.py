from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.errors import InputError
from prbgen.recipe import SourceSettings
from prbgen.schema import SUBSETS
from prbgen.sources.files import DataFile, choose_files, named_file, names_in
from prbgen.sources.names import Selection

ART, LIFE, SOCIETY = SUBSETS


def asked(*subsets: str, split: str = "test") -> Selection:
    return Selection.of(SourceSettings(path="x", subsets=subsets, split=split))


def choose(names: list[str], selection: Selection, header: dict[str, object] | None = None) -> list[DataFile]:
    return choose_files(names, header or {}, "lamp", selection, "PLACE")


def test_files_are_found_by_what_their_names_say() -> None:
    names = [f"{subset}/{split}.json" for subset in SUBSETS for split in ("test", "train")] + ["notes.txt"]
    assert choose(names, asked()) == [DataFile(f"{subset}/test.json", subset, "test") for subset in SUBSETS]
    assert choose(names, asked("Society & Culture", split="train")) == [
        DataFile(f"{SOCIETY}/train.json", SOCIETY, "train")
    ]


def test_where_no_name_says_a_split_all_are_of_the_one_asked_for() -> None:
    assert choose(["data.json"], asked(split="dev")) == [DataFile("data.json", None, "validation")]
    names = [f"{ART}.json", f"{LIFE}-1.json", f"{LIFE}-2.json", f"{SOCIETY}_test.json", f"{SOCIETY}_all.json", "x.json"]
    assert [file.name for file in choose(names, asked())] == names[:4]


def test_what_describes_a_dataset_is_no_data() -> None:
    assert [file.name for file in choose(["dataset_infos.json", "rows.json"], asked())] == ["rows.json"]


@pytest.mark.parametrize(
    ("names", "selection", "message"),
    [
        ([], asked(), "PLACE: no file to read (.json, .jsonl, .ndjson, .parquet, also .gz); found: nothing"),
        (
            ["a.csv", "b.txt"],
            asked(),
            "PLACE: no file to read (.json, .jsonl, .ndjson, .parquet, also .gz); found: a.csv, b.txt",
        ),
        (["x/train.json", "dev.json"], asked(), "PLACE: no split test; found: files of no subset (train, validation)"),
        (
            [f"{ART}/test.json", f"{LIFE}/test.json"],
            asked(ART, SOCIETY),
            f"PLACE: no split test of subset {SOCIETY}; found: {ART} (test); {LIFE} (test)",
        ),
        (
            [f"{ART}/test.json", f"{LIFE}/train.json"],
            asked(ART, LIFE),
            f"PLACE: no split test of subset {LIFE}; found: {ART} (test); {LIFE} (train)",
        ),
    ],
)
def test_what_is_not_there_is_refused_by_what_is(names: list[str], selection: Selection, message: str) -> None:
    with pytest.raises(InputError) as caught:
        choose(names, selection)
    assert str(caught.value) == message


def test_a_named_file_is_read_whatever_it_is_called() -> None:
    assert named_file(Path("/x/train.json"), asked()) == DataFile("train.json", None, "train")
    assert named_file(Path(f"/{ART}/data.ndjson.gz"), asked()) == DataFile("data.ndjson.gz", ART, "test")
    assert named_file(Path("/dev/data.json"), asked()) == DataFile("data.json", None, "validation")


def test_a_named_file_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match=r"/x/a\.csv: cannot read this kind of file; known are \.json, "):
        named_file(Path("/x/a.csv"), asked())


def test_names_in_a_folder_are_sorted_and_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.json", "a/c.json", ".cache/d.json", "a/.e.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert names_in(tmp_path) == ["a/c.json", "b.json"]


def test_declared_configs_say_what_is_where() -> None:
    names = ["a/1.json", "a/2.json", "b/1.json"]
    configs = [
        {"config_name": ART, "data_files": [{"split": "test", "path": "a/1.json"}, {"split": "dev", "path": "b/*"}]},
        {"config_name": "all", "data_files": [{"split": "test", "path": ["a/*", "b/*"]}]},
    ]
    assert choose(names, asked(), {"configs": configs}) == [DataFile("a/1.json", ART, "test")]
    assert choose(names, asked(split="valid"), {"configs": configs}) == [DataFile("b/1.json", ART, "validation")]
    assert [file.name for file in choose(names, asked("all"), {"configs": configs})] == names


def pairs_of(*subsets: str, split: str = "") -> Selection:
    return Selection.of_pairs(subsets, split)


def test_without_a_split_all_are_taken_each_by_its_own_name() -> None:
    names = [f"{ART}/dev.json", f"{ART}/test_unvalidated.parquet", "other/rows.json"]
    assert choose(names, pairs_of()) == [
        DataFile(names[0], ART, "validation"),
        DataFile(names[1], ART, "test_unvalidated"),
        DataFile(names[2], None, None),
    ]
    assert named_file(Path("/x/rows.json"), pairs_of()) == DataFile("rows.json", None, "")
    with pytest.raises(InputError, match=rf"PLACE: no subset {LIFE}; found: {ART} \(validation\)"):
        choose(names[:1], pairs_of(LIFE))


def test_any_config_is_a_subset_of_pairs_but_those_that_hold_all_or_ratings() -> None:
    names = ["a.json", "b.json", "c.json", "r.json"]
    files = {"all": names[:2], ART: "a.json", "Cooking": "b.json", "default": "c.json", "ratings": "r.json"}
    configs = [{"config_name": name, "data_files": [{"split": "test", "path": path}]} for name, path in files.items()]
    assert choose(names, pairs_of(), {"configs": configs}) == [
        DataFile("a.json", ART, "test"),
        DataFile("b.json", "Cooking", "test"),
        DataFile("c.json", None, "test"),
    ]
    assert choose(names, pairs_of("cooking"), {"configs": configs[:3]}) == [DataFile("b.json", "cooking", "test")]
    assert choose(names, asked(), {"configs": configs}) == [DataFile("a.json", ART, "test")]


def test_a_file_that_two_configs_declare_is_read_once() -> None:
    configs = [{"config_name": name, "data_files": "*.json"} for name in ("one", "two")]
    assert choose(["a.json"], asked(), {"configs": configs}) == [DataFile("a.json", "one", "test")]


def one_split(*subsets: str) -> Selection:
    return Selection.of_pairs(subsets, "", one_split=True)


def test_one_split_is_the_first_that_people_have_validated_as_declared() -> None:
    splits = ("dev_unvalidated", "test", "train")
    names = [f"{split}.json" for split in splits]
    files = [{"split": split, "path": f"{split}.json"} for split in splits]
    configs = [{"config_name": "ratings", "data_files": [{"split": "ratings", "path": "r.json"}]}]
    configs.append({"config_name": "all", "data_files": files})
    assert choose(names, one_split(), {"configs": configs}) == [DataFile("test.json", None, "test")]
    configs[-1]["data_files"] = files[::-1]
    assert choose(names, one_split(), {"configs": configs}) == [DataFile("train.json", None, "train")]
    asked_for = Selection.of_pairs((), "dev_unvalidated", one_split=True)
    assert [file.name for file in choose(names, asked_for, {"configs": configs})] == ["dev_unvalidated.json"]


def test_one_split_of_files_that_are_not_declared_is_the_first_in_the_usual_order() -> None:
    names = [f"{ART}/{split}.json" for split in ("test", "train", "train_unvalidated", "validation")]
    assert choose(names, one_split()) == [DataFile(names[1], ART, "train")]
    assert choose(names[2:], one_split()) == [DataFile(names[3], ART, "validation")]
    assert choose([f"{ART}.json"], one_split()) == [DataFile(f"{ART}.json", ART, None)]


def test_one_split_is_of_the_subsets_that_are_asked_for() -> None:
    names = [f"{ART}/train.json", f"{SOCIETY}/test.json", f"{SOCIETY}/test_unvalidated.json"]
    assert [file.name for file in choose(names, one_split())] == names[:1]
    assert [file.name for file in choose(names, one_split(SOCIETY))] == names[1:2]
    with pytest.raises(InputError, match=r"PLACE: no subset Life.*; found: Art.* \(train\); Soc.*"):
        choose(names, one_split(LIFE))


def test_where_nothing_is_validated_the_way_to_take_it_is_said() -> None:
    names = ["train_unvalidated.json", "test_unvalidated.json"]
    with pytest.raises(InputError, match=r"^PLACE: people have validated none of it yet \(there is test_unvalidated, "):
        choose(names, one_split())
    assert len(choose(names, pairs_of())) == 2
