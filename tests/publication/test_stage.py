from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import FellShortError, InputError
from prbgen.publication.features import COLUMNS, features
from prbgen.publication.stage import stage
from prbgen.recipe import PublicationSettings
from prbgen.resources import resource
from prbgen.schema import Pair
from tests.publication.reports import build_validation

Make = Callable[..., Pair]
Write = Callable[[Iterable[Pair]], Path]
Load = Callable[..., Any]


def rows_of(pairs: Iterable[Pair]) -> list[dict[str, Any]]:
    return [{column: pair.model_dump(mode="json")[column] for column in COLUMNS} for pair in pairs]


def contents(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_every_config_and_split_holds_its_pairs_row_by_row(
    varied_pairs: list[Pair], write_pairs: Write, load: Load
) -> None:
    path = write_pairs(varied_pairs)
    folder = path.parent / "dataset"
    stage(path, folder)
    on_disk = [Pair.model_validate_json(line) for line in path.read_bytes().splitlines()]
    assert on_disk == varied_pairs

    for config in (None, "all", *dict.fromkeys(pair.provenance.subset for pair in varied_pairs)):
        mine = [pair for pair in varied_pairs if config in (None, "all", pair.provenance.subset)]
        splits = load(folder, config) if config else load(folder)
        assert set(splits) == {f"{pair.provenance.split}_unvalidated" for pair in mine}
        for name, split in splits.items():
            assert split.to_list() == rows_of(pair for pair in mine if f"{pair.provenance.split}_unvalidated" == name)
            assert split.column_names == list(COLUMNS)


def test_one_subset_and_split_can_be_asked_for(varied_pairs: list[Pair], write_pairs: Write, load: Load) -> None:
    path = write_pairs(varied_pairs)
    stage(path, path.parent / "dataset")
    split = load(path.parent / "dataset", "Art_and_Entertainment", split="test_unvalidated")
    assert split.to_list() == rows_of(varied_pairs[:3])


def test_every_config_has_the_same_features_whatever_is_null(make_pair: Make, write_pairs: Write, load: Load) -> None:
    nothing = make_pair(0, subset="Nothing", narrative=None, category=None, profile=(), rubric_aspects=())
    path = write_pairs([nothing, make_pair(1, subset="Everything")])
    stage(path, path.parent / "dataset")
    for config in ("all", "Nothing", "Everything"):
        assert load(path.parent / "dataset", config, split="test_unvalidated").features == features()


def test_a_fresh_process_loads_it_as_a_user_would(varied_pairs: list[Pair], write_pairs: Write, tmp_path: Path) -> None:
    path = write_pairs(varied_pairs)
    stage(path, path.parent / "dataset")
    script = (
        "import datasets, json, sys; folder = sys.argv[1]\n"
        "one = datasets.load_dataset(folder, 'Art_and_Entertainment', split='test_unvalidated')\n"
        "print(json.dumps([datasets.load_dataset(folder).num_rows, one['pair_id'][:]]))"
    )
    env = {**os.environ, "HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}
    env["HF_DATASETS_CACHE"] = str(tmp_path / "cache")
    command = [sys.executable, "-c", script, str(path.parent / "dataset")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    expected = [{"test_unvalidated": 6, "train_unvalidated": 1}, [pair.pair_id for pair in varied_pairs[:3]]]
    assert json.loads(done.stdout) == expected


def test_staging_again_is_seen_although_datasets_caches(make_pair: Make, write_pairs: Write, load: Load) -> None:
    path = write_pairs([make_pair(0, chosen="old")])
    folder = path.parent / "dataset"
    stage(path, folder)
    assert load(folder, split="test_unvalidated")["chosen"][:] == ["old"]
    stage(write_pairs([make_pair(0, chosen="new")]), folder)
    assert load(folder, split="test_unvalidated")["chosen"][:] == ["new"]


def test_two_datasets_of_one_name_are_told_apart_although_datasets_caches_by_name(
    make_pair: Make, write_pairs: Write, load: Load, tmp_path: Path
) -> None:
    for run in ("one", "two"):
        stage(write_pairs([make_pair(0, chosen=run)]), tmp_path / run / "dataset")
        assert load(tmp_path / run / "dataset", split="test_unvalidated")["chosen"][:] == [run]


def test_staging_again_leaves_nothing_of_the_old_dataset(make_pair: Make, write_pairs: Write, load: Load) -> None:
    path = write_pairs([make_pair(0), make_pair(1, subset="Society_and_Culture")])
    folder = path.parent / "dataset"
    stage(path, folder)
    stage(write_pairs([make_pair(0)]), folder)
    kept = {"README.md", "SHA256SUMS", "data/Art_and_Entertainment/test_unvalidated.parquet", "plots/words.png"}
    assert set(contents(folder)) - {"evaluate.py"} == kept
    assert sorted(place.name for place in folder.parent.iterdir()) == ["dataset", "pairs.jsonl"]
    with pytest.raises(ValueError, match="Society_and_Culture"):
        load(folder, "Society_and_Culture")


def test_the_same_pairs_give_the_same_bytes(varied_pairs: list[Pair], write_pairs: Write, tmp_path: Path) -> None:
    path = write_pairs(varied_pairs)
    for name in ("one", "two"):
        validation = build_validation(varied_pairs, varied_pairs[:2])
        stage(path, tmp_path / name, validation=validation, publication=PublicationSettings(authors=("A",)))
    assert {"CITATION.cff", "plots/quality.png", "ratings/ratings.parquet"} < contents(tmp_path / "one").keys()
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_validated_pairs_keep_the_split_of_the_source(make_pair: Make, write_pairs: Write, load: Load) -> None:
    pairs = [make_pair(number) for number in range(3)]
    path = write_pairs(pairs)
    staged = stage(path, path.parent / "dataset", validation=build_validation(pairs, pairs[1:2]))
    splits = load(path.parent / "dataset")
    assert splits["test"].to_list() == rows_of(pairs[1:2])
    assert splits["test_unvalidated"].to_list() == rows_of([pairs[0], pairs[2]])
    assert (staged.figures.validated, staged.figures.left_out) == (1, 0)


def test_pairs_that_nobody_has_validated_can_be_left_out(make_pair: Make, write_pairs: Write, load: Load) -> None:
    pairs = [make_pair(number, subset=f"S{number % 2}") for number in range(4)]
    path = write_pairs(pairs)
    validation = build_validation(pairs, pairs[1:2])
    staged = stage(path, path.parent / "dataset", validation=validation, unvalidated=False)
    assert {name: split.to_list() for name, split in load(path.parent / "dataset").items()} == {
        "test": rows_of(pairs[1:2])
    }
    assert (staged.figures.pairs, staged.figures.left_out) == (1, 3)
    assert "3 more were made and are left out" in (path.parent / "dataset/README.md").read_text()


def test_a_pair_without_a_verdict_is_not_validated(make_pair: Make, write_pairs: Write, load: Load) -> None:
    pairs = [make_pair(0), make_pair(1)]
    path = write_pairs(pairs)
    stage(path, path.parent / "dataset", validation=build_validation(pairs[:1], pairs[:1]))
    assert load(path.parent / "dataset", split="test_unvalidated").to_list() == rows_of(pairs[1:])


@pytest.mark.parametrize("rated", [True, False])
def test_if_nothing_is_left_it_says_what_to_do_and_the_old_dataset_stays(
    staged_before: tuple[Path, dict[str, str]], make_pair: Make, rated: bool
) -> None:
    path, before = staged_before
    validation = build_validation([make_pair(0)]) if rated else None
    with pytest.raises(FellShortError, match=r"validated none of the 1 pairs.*--include-unvalidated") as caught:
        stage(path, path.parent / "dataset", validation=validation, unvalidated=False)
    assert "\n" not in str(caught.value)
    assert_untouched(path, before)


def test_the_files_of_the_run_come_before_the_shipped_ones(make_pair: Make, write_pairs: Write, tmp_path: Path) -> None:
    path, own = write_pairs([make_pair(0)]), tmp_path / "data_cards"
    own.mkdir()
    (own / "evaluate.py").write_text("print('own')\n")
    (own / "people.md.j2").write_text("## Ours alone\n")
    stage(path, path.parent / "dataset", own=own)
    card = (path.parent / "dataset/README.md").read_text()
    assert (path.parent / "dataset/evaluate.py").read_text() == "print('own')\n"
    assert "uv run evaluate.py" in card
    assert "## Ours alone" in card
    assert "## Checked by people" not in card
    shipped = (resource("data_cards") / "dataset_card.md.j2").read_text()
    (own / "dataset_card.md.j2").write_text(shipped + "\nOne more line.\n")
    stage(path, path.parent / "dataset", own=own)
    assert "One more line." in (path.parent / "dataset/README.md").read_text()


def test_all_rows_follow_the_order_of_the_source_not_of_the_alphabet(
    make_pair: Make, write_pairs: Write, load: Load
) -> None:
    subsets = ("Zebras", "Küche & Garten", "a.b-c")
    pairs = [make_pair(number, subset=subset) for number, subset in enumerate(subsets)]
    path = write_pairs(pairs)
    stage(path, path.parent / "dataset")
    assert load(path.parent / "dataset", split="test_unvalidated").to_list() == rows_of(pairs)
    assert load(path.parent / "dataset", "Küche & Garten", split="test_unvalidated").to_list() == rows_of(pairs[1:2])


@pytest.fixture
def staged_before(make_pair: Make, write_pairs: Write) -> tuple[Path, dict[str, str]]:
    """A run with a dataset, and what is in that dataset."""
    path = write_pairs([make_pair(0)])
    stage(path, path.parent / "dataset")
    return path, contents(path.parent)


def assert_untouched(path: Path, before: dict[str, str]) -> None:
    after = contents(path.parent)
    assert after.keys() == before.keys()
    assert {name for name in after if after[name] != before[name]} <= {"pairs.jsonl"}


def test_no_pairs_is_said_and_the_old_dataset_stays(staged_before: tuple[Path, dict[str, str]]) -> None:
    path, before = staged_before
    path.write_text("")
    with pytest.raises(FellShortError, match=r"pairs\.jsonl: no pairs"):
        stage(path, path.parent / "dataset")
    assert_untouched(path, before)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("", "EOF while parsing"),
        ('{"id": "1"', "EOF while parsing"),
        ('{"id": 1}', "id: Input should be a valid string"),
        ('{"id": "\\ud800"}', "hex escape"),
        ("[]", "should be an object"),
    ],
)
def test_a_line_that_is_no_pair_is_named_and_the_old_dataset_stays(
    staged_before: tuple[Path, dict[str, str]], line: str, fault: str
) -> None:
    path, before = staged_before
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(InputError, match=r"pairs\.jsonl: line 2: ") as caught:
        stage(path, path.parent / "dataset")
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)
    assert_untouched(path, before)


def test_a_pair_that_comes_twice_is_named_with_both_lines(staged_before: tuple[Path, dict[str, str]]) -> None:
    path, before = staged_before
    path.write_text(path.read_text() * 2)
    with pytest.raises(InputError, match=r"pair_id \w+ comes twice"):
        stage(path, path.parent / "dataset")
    assert_untouched(path, before)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pairs\.jsonl: No such file"):
        stage(tmp_path / "pairs.jsonl", tmp_path / "dataset")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(make_pair: Make, write_pairs: Write) -> None:
    path = write_pairs([make_pair(0)])
    with pytest.raises(InputError, match="cannot write the dataset: Not a directory"):
        stage(path, path / "dataset")


def test_a_card_that_fails_leaves_the_old_dataset(staged_before: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    path, before = staged_before
    (tmp_path / "dataset_card.md.j2").write_text("{{ figures.nonsense }}")
    with pytest.raises(InputError, match="nonsense"):
        stage(path, path.parent / "dataset", own=tmp_path)
    assert_untouched(path, before)


def test_a_process_killed_while_staging_leaves_the_old_dataset(
    staged_before: tuple[Path, dict[str, str]], make_pair: Make
) -> None:
    path, before = staged_before
    script = (
        "import sys; from pathlib import Path; from prbgen.publication.stage import stage\n"
        "stage(Path('/dev/stdin'), Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", script, str(path.parent / "dataset")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        for number in range(250):
            process.stdin.write(make_pair(number).model_dump_json() + "\n")
        process.stdin.flush()  # more than a pipe holds: rows have been taken, and more are waited for
        process.kill()
    assert any((path.parent / ".dataset.new").rglob("*.parquet"))
    after = contents(path.parent)
    assert {name: after[name] for name in before} == before
    stage(path, path.parent / "dataset")
    assert_untouched(path, before)


def test_importing_it_loads_nothing_heavy() -> None:
    script = "import sys, prbgen.publication.stage; print(*sys.modules)"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert not {"datasets", "pyarrow", "huggingface_hub", "jinja2", "numpy"} & set(done.stdout.split())
