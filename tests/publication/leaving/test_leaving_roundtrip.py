from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from prbgen.errors import PrbgenError
from prbgen.publication.leaving.roundtrip import check_rows
from prbgen.publication.selection import Selection
from prbgen.publication.stage import stage
from prbgen.publication.sums import write_sums
from prbgen.schema import Pair

Make = Callable[..., Pair]
Write = Callable[[Iterable[Pair]], Path]
Row = dict[str, Any]
ART = "Art_and_Entertainment"


def change_rows(file: Path, change: Callable[[list[Row]], list[Row]]) -> None:
    """Rewrite a Parquet file by hand, and forget what else tells of its rows."""
    table = pq.read_table(file)
    pq.write_table(pa.Table.from_pylist(change(table.to_pylist()), schema=table.schema), file)
    forget(next(parent for parent in file.parents if parent.name == "dataset"))


def forget(folder: Path) -> None:
    change_card(folder, lambda configs: configs)


def change_card(folder: Path, change: Callable[[list[Row]], list[Row]]) -> None:
    _, metadata, text = (folder / "README.md").read_text().split("---\n", 2)
    card = yaml.safe_load(metadata)
    card.pop("dataset_info", None)
    card["configs"] = change(card["configs"])
    (folder / "README.md").write_text(f"---\n{yaml.safe_dump(card)}---\n{text}")
    write_sums(folder)


@pytest.fixture
def three(make_pair: Make, write_pairs: Write) -> tuple[Path, Path, list[Pair]]:
    """pairs.jsonl, the dataset of it, and its three pairs, which are of one subset and split."""
    pairs = [make_pair(number) for number in range(3)]
    path = write_pairs(pairs)
    folder = path.parent / "dataset"
    stage(path, folder)
    return path, folder, pairs


def of_three(folder: Path) -> Path:
    return folder / f"data/{ART}/test_unvalidated.parquet"


def test_what_was_staged_is_what_was_made(varied_pairs: list[Pair], write_pairs: Write) -> None:
    path = write_pairs(varied_pairs)
    stage(path, path.parent / "dataset")
    check_rows(path.parent / "dataset", Selection(path))
    assert sorted(place.name for place in path.parent.iterdir()) == ["dataset", "pairs.jsonl"]


def test_subsets_may_come_mixed_in_the_run(make_pair: Make, write_pairs: Write) -> None:
    path = write_pairs(make_pair(number, subset=f"S{number % 3}", split=f"t{number % 2}") for number in range(20))
    stage(path, path.parent / "dataset")
    check_rows(path.parent / "dataset", Selection(path))


def test_more_rows_than_a_row_group_are_compared(make_pair: Make, write_pairs: Write) -> None:
    path = write_pairs(make_pair(number) for number in range(230))
    folder = path.parent / "dataset"
    stage(path, folder)
    check_rows(folder, Selection(path))
    change_rows(of_three(folder), lambda rows: [*rows[:229], rows[229] | {"rejected": "tampered"}])
    with pytest.raises(PrbgenError, match=r"row 229, .*'rejected'"):
        check_rows(folder, Selection(path))


@pytest.fixture
def half_validated(make_pair: Make, write_pairs: Write) -> tuple[Path, Path, list[Pair]]:
    """The pairs of the split train are validated."""
    pairs = [make_pair(number, split="train" if number % 2 else "test") for number in range(4)]
    path = write_pairs(pairs)
    folder = path.parent / "dataset"
    stage(path, folder)
    forget(folder)
    data = folder / f"data/{ART}"
    (data / "train_unvalidated.parquet").rename(data / "train.parquet")
    card = folder / "README.md"
    card.write_text(card.read_text().replace("train_unvalidated", "train"))
    write_sums(folder)
    return path, folder, pairs


def test_validated_pairs_belong_to_the_split_of_the_source(half_validated: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, pairs = half_validated
    check_rows(folder, Selection(path, {pairs[1].pair_id, pairs[3].pair_id}))
    with pytest.raises(PrbgenError, match=rf"pair_id {pairs[3].pair_id} is in no row: .*'train_unvalidated'"):
        check_rows(folder, Selection(path, {pairs[1].pair_id}))


def test_a_pair_that_nobody_has_validated_may_be_kept_back(half_validated: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, pairs = half_validated
    validated = {pairs[1].pair_id, pairs[3].pair_id}
    with pytest.raises(PrbgenError, match=f"row 0: pair_id {pairs[0].pair_id} is one too many"):
        check_rows(folder, Selection(path, validated, unvalidated=False))

    def without(configs: list[Row]) -> list[Row]:
        return [
            each | {"data_files": [files for files in each["data_files"] if files["split"] == "train"]}
            for each in configs
        ]

    change_card(folder, without)
    of_three(folder).unlink()
    write_sums(folder)
    check_rows(folder, Selection(path, validated, unvalidated=False))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("chosen", "Something else."),
        ("narrative", None),
        ("profile", []),
        ("rubric_aspects", [{"aspect": "Short books", "evidence": None, "reason": "Reads on the tram."}]),
        ("generator", "openai/gpt-4o"),
    ],
)
def test_a_tampered_row_is_named(three: tuple[Path, Path, list[Pair]], column: str, value: Any) -> None:
    path, folder, pairs = three
    change_rows(of_three(folder), lambda rows: [rows[0], rows[1] | {column: value}, rows[2]])
    place = f"config '{ART}', split 'test_unvalidated', row 1, pair_id {pairs[1].pair_id}: column '{column}'"
    with pytest.raises(PrbgenError, match=place):
        check_rows(folder, Selection(path))
    assert not (folder.parent / ".dataset.loaded").exists()


def test_a_pair_that_was_edited_after_staging_is_named(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, pairs = three
    path.write_text(path.read_text().replace("trilogy", "tetralogy", 1))
    with pytest.raises(PrbgenError, match=rf"row 0, pair_id {pairs[0].pair_id}: column 'rejected'"):
        check_rows(folder, Selection(path))


def test_a_missing_row_is_named(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, pairs = three
    change_rows(of_three(folder), lambda rows: rows[:2])
    with pytest.raises(PrbgenError, match=rf"row 2, pair_id {pairs[2].pair_id}: the row is missing"):
        check_rows(folder, Selection(path))


def test_a_doubled_row_is_named(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, pairs = three
    change_rows(of_three(folder), lambda rows: [*rows, rows[2]])
    with pytest.raises(PrbgenError, match=rf"row 3: pair_id {pairs[2].pair_id} is one too many"):
        check_rows(folder, Selection(path))


def test_rows_in_another_order_are_named(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, pairs = three
    change_rows(of_three(folder), lambda rows: rows[::-1])
    with pytest.raises(PrbgenError, match=rf"row 0, pair_id {pairs[0].pair_id}: column 'pair_id'"):
        check_rows(folder, Selection(path))


def test_a_column_too_many_is_named(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, _ = three
    file = of_three(folder)
    pq.write_table(pq.read_table(file).append_column("note", pa.array(["a", "b", "c"])), file)
    forget(folder)
    with pytest.raises(PrbgenError, match=r"row 0, .*: column 'note'"):
        check_rows(folder, Selection(path))


def test_columns_of_another_type_are_named(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, _ = three
    file = of_three(folder)
    table = pq.read_table(file)
    other = table.schema.set(1, table.schema.field(1).with_type(pa.large_string()))
    pq.write_table(table.cast(other), file)
    forget(folder)
    with pytest.raises(PrbgenError, match="the columns or their types"):
        check_rows(folder, Selection(path))


def test_all_must_have_each_subset_once(make_pair: Make, write_pairs: Write) -> None:
    path = write_pairs([make_pair(0, subset="One"), make_pair(1, subset="Two")])
    folder = path.parent / "dataset"

    def with_files(change: Callable[[list[str]], list[str]]) -> str:
        stage(path, folder)

        def change_all(configs: list[Row]) -> list[Row]:
            for files in next(each for each in configs if each["config_name"] == "all")["data_files"]:
                files["path"] = change(files["path"])
            return configs

        change_card(folder, change_all)
        with pytest.raises(PrbgenError) as caught:
            check_rows(folder, Selection(path))
        return str(caught.value)

    assert "leaves it out of 'all'" in with_files(lambda files: files[:1])
    assert "is of no subset, or twice" in with_files(lambda files: [*files, files[0]])


def test_data_that_no_config_declares_is_named(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, _ = three
    of_three(folder).with_name("stale.parquet").write_bytes(of_three(folder).read_bytes())
    write_sums(folder)
    with pytest.raises(PrbgenError, match=r"stale\.parquet belongs to no config"):
        check_rows(folder, Selection(path))


def test_a_file_that_is_no_parquet_is_named_in_one_line(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, _ = three
    of_three(folder).write_bytes(b"PAR1, they say")
    forget(folder)
    with pytest.raises(PrbgenError, match=r"split 'test_unvalidated': `datasets` cannot load it: \w+") as caught:
        check_rows(folder, Selection(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("card", "fault"),
    [
        (None, "No such file"),
        ("# A card\n", "configs"),
        ("---\nconfigs: [1]\n---\n", "configs"),
        ("---\nconfigs: {\n---\n", "no valid metadata"),
    ],
)
def test_a_card_without_configs_is_named(three: tuple[Path, Path, list[Pair]], card: str | None, fault: str) -> None:
    path, folder, _ = three
    (folder / "README.md").unlink()
    if card is not None:
        (folder / "README.md").write_text(card)
    write_sums(folder)
    with pytest.raises(PrbgenError, match=rf"README\.md: .*{fault}") as caught:
        check_rows(folder, Selection(path))
    assert "\n" not in str(caught.value)


def test_a_stale_list_of_hashes_is_found(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, _ = three
    check_rows(folder, Selection(path))
    with (folder / "README.md").open("a") as card:
        card.write("One more line.\n")
    with pytest.raises(PrbgenError, match=r"README\.md has another hash"):
        check_rows(folder, Selection(path))


def test_a_config_of_another_kind_is_compared_with_rows_of_its_own(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, _ = three
    rows: list[Row] = [{"rater": "r1", "mark": 4}, {"rater": "r2", "mark": None}]
    (folder / "ratings").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), folder / "ratings/ratings.parquet")
    ratings = {"config_name": "ratings", "data_files": [{"split": "ratings", "path": "ratings/ratings.parquet"}]}
    change_card(folder, lambda configs: [*configs, ratings])
    place = "ratings", "ratings"

    def check(expected: list[Row]) -> None:
        check_rows(folder, Selection(path), {place: lambda: iter(expected)})

    check(rows)
    for expected, fault in (
        ([rows[0], {"rater": "r2", "mark": 3}], "row 1, .*column 'mark'"),
        (rows[:1], "row 1: one too many"),
        ([*rows, rows[0]], "row 2, .*the row is missing"),
    ):
        with pytest.raises(PrbgenError, match=f"config 'ratings', split 'ratings', {fault}"):
            check(expected)
    with pytest.raises(PrbgenError, match="declares no config 'votes'"):
        check_rows(folder, Selection(path), {place: lambda: rows, ("votes", "x"): list})


def test_a_pair_twice_in_the_run_is_named(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, pairs = three
    path.write_text(path.read_text() + pairs[0].model_dump_json() + "\n")
    with pytest.raises(PrbgenError, match=f"pair_id {pairs[0].pair_id} comes twice"):
        check_rows(folder, Selection(path))


def test_what_a_killed_check_left_behind_is_not_believed(three: tuple[Path, Path, list[Pair]]) -> None:
    path, folder, _ = three
    left = folder.parent / ".dataset.loaded"
    (left / "parquet").mkdir(parents=True)
    (left / "parquet/old").write_text("old")
    check_rows(folder, Selection(path))
    assert not left.exists()
