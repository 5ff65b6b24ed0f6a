from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.recipe import SourceSettings
from prbgen.schema import SUBSETS, Question, Reject
from prbgen.sources import SourceReport, read_questions
from prbgen.sources.questions import described
from tests.sources.lamp_rows import SUFFIXES, post, row, without, write

ART, LIFE, SOCIETY = SUBSETS
LONG = "I have baked with rye for ten years, and every winter the same thing goes wrong with my loaves. " * 3


def read(*paths: Path, strict: bool = False, report: SourceReport | None = None, **asked: Any) -> list[Any]:
    path = str(paths[0]) if len(paths) == 1 else tuple(str(each) for each in paths)
    return list(read_questions(SourceSettings(path=path, **asked), strict=strict, report=report))


def questions(*paths: Path, **asked: Any) -> list[Question]:
    items = read(*paths, **asked)
    assert all(isinstance(item, Question) for item in items), items
    return items


def names(items: Sequence[Question | Reject]) -> list[str | None]:
    return [item.id for item in items]


@pytest.fixture
def lamp_qa(tmp_path: Path) -> Path:
    """A folder with two questions of each subset in each of two splits; ids repeat over subsets and splits."""
    for subset in SUBSETS:
        for split in ("train", "test"):
            write(tmp_path / "lamp" / subset / f"{split}.json", [row("1", question=f"{subset} {split}?"), row("2")])
    return tmp_path / "lamp"


# --- files of every kind


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_kind_of_file_gives_the_same_questions(tmp_path: Path, suffix: str) -> None:
    rows = [
        row("1"),
        row("2", rubric_aspects=None),
        row("3", narrative=None, profile=[post("a", "אבג 👩‍👩‍👧 \u202e", category=None)]),
        row("4", profile=[]),
    ]
    found = questions(write(tmp_path / f"a.{suffix}", rows))
    assert found == questions(write(tmp_path / "b.json", rows))
    assert names(found) == ["1", "2", "3", "4"]
    assert found[1].rubric_aspects is None
    assert found[2].narrative is None
    assert found[2].profile[0].text == "אבג 👩‍👩‍👧 \u202e"
    assert found[3].profile == ()
    assert {(question.subset, question.split) for question in found} == {(LIFE, "test")}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nul_and_lone_surrogates_are_replaced_and_counted(tmp_path: Path, suffix: str) -> None:
    wild = "a\0b" if "parquet" in suffix else "a\0b\ud800"
    report = SourceReport()
    [question] = read(write(tmp_path / f"a.{suffix}", [row("1", narrative=wild)]), report=report)
    assert question.narrative == wild.replace("\0", "\ufffd").replace("\ud800", "\ufffd")
    assert report.characters_replaced == len(wild) - 2


# --- subsets and splits


def test_a_folder_gives_subsets_in_their_order_and_only_the_split(lamp_qa: Path) -> None:
    found = questions(lamp_qa, split="train")
    assert [(question.subset, question.id) for question in found] == [
        (subset, name) for subset in SUBSETS for name in ("1", "2")
    ]
    assert {question.split for question in found} == {"train"}
    assert found[0].question == f"{ART} train?"


def test_only_the_subsets_asked_for_are_read(lamp_qa: Path) -> None:
    assert {question.subset for question in questions(lamp_qa, subsets=("society & culture",))} == {SOCIETY}


def test_files_are_read_in_the_order_of_their_subsets(lamp_qa: Path) -> None:
    paths = [lamp_qa / subset / "test.json" for subset in (SOCIETY, ART)]
    assert [question.subset for question in questions(*paths)] == [ART, ART, SOCIETY, SOCIETY]


def test_a_category_says_the_subset_where_the_name_does_not(tmp_path: Path) -> None:
    rows = [row("1", category="Art & Entertainment"), row("2", category="Cooking"), without(row("3"), "category")]
    path = write(tmp_path / "rows.jsonl", rows)
    assert [question.subset for question in questions(path)] == [ART, "default", "default"]
    assert [question.subset for question in questions(path, subsets=("cooking",))] == ["cooking"]
    assert names(questions(path, subsets=(ART, "default"))) == ["1", "2", "3"]


def test_a_subset_that_no_row_belongs_to_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", [row("1"), row("2", category=None)])
    with pytest.raises(InputError, match=rf"^rows\.jsonl: no subset {SOCIETY}; found: {LIFE}, default$"):
        read(path, subsets=(SOCIETY, LIFE))


def test_a_row_whose_subset_cannot_be_told_is_reported_whatever_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    write(path, [row("1"), row("2", category=5), "row", row("4", category=None, question=""), row("5", narrative="~")])
    path.write_bytes(path.read_bytes().replace(b"~", b"\xe9"))
    assert [(item.id, item.subset) for item in read(path, subsets=(LIFE,))] == [
        ("1", LIFE),
        ("2", None),
        (None, None),
        (None, None),
    ]


def test_a_readme_says_what_is_where(tmp_path: Path) -> None:
    write(tmp_path / "x.jsonl", [row("x")])
    write(tmp_path / "y.parquet", [row("y")])
    header = f"configs:\n- config_name: {SOCIETY}\n  data_files:\n  - split: test\n    path: y.parquet\n"
    (tmp_path / "README.md").write_text(f"---\n{header}---\n")
    assert [(question.id, question.subset) for question in questions(tmp_path)] == [("y", SOCIETY)]


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.write_text("[]"), lambda path: None])
def test_a_source_of_nothing_is_refused_in_one_line(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "rows.json"
    make(path)
    with pytest.raises(InputError, match=r"rows\.json: no (file to read|rows|such file)") as caught:
        read(path)
    assert "\n" not in str(caught.value)


# --- faults


FAULTY = (
    '{"id": "1", "question": "q", "profile": []}\n'
    '{"id": "2", "question": "", "profile": [{"id": "p"}]}\n'
    '{"id": "3", "question": "q"\n'
    '["id", "4"]\n'
    '{"id": "1", "question": 5, "profile": []}\n'
    '{"id": "6", "question": "q", "profile": []}\n'
)


def test_faulty_rows_come_out_in_their_place_with_all_their_faults(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(FAULTY)
    report = SourceReport()
    items = read(path, report=report)
    assert names(items) == ["1", "2", None, None, "1", "6"]
    assert [described(item) for item in items if isinstance(item, Reject)] == [
        "rows.jsonl:line 2: id 2: question: empty; profile[0].text: missing",
        "rows.jsonl:line 3: broken JSON: Expecting ',' delimiter (column 28)",
        "rows.jsonl:line 4: is a list, should be an object",
        "rows.jsonl:line 5: id 1: question: is a number, should be text; id: already used at rows.jsonl:line 1",
    ]
    assert {item.stage for item in items if isinstance(item, Reject)} == {"source"}
    assert [item.subset for item in items if isinstance(item, Reject)] == ["default", None, None, "default"]
    assert (report.rows, report.questions, report.rejected) == (6, 2, 4)


def test_strict_stops_at_the_first_fault_with_the_same_text_before_any_question(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(FAULTY)
    with pytest.raises(InputError, match=r"^rows\.jsonl:line 2: id 2: question: empty; profile\[0\]\.text: missing$"):
        next(read_questions(SourceSettings(path=str(path)), strict=True))
    assert len(list(read_questions(SourceSettings(path=str(path), limit=1), strict=True))) == 1


def test_an_id_may_be_used_again_in_another_subset_only(lamp_qa: Path) -> None:
    write(lamp_qa / SOCIETY / "test-2.json", [row("3"), row("2")])
    *_, again = read(lamp_qa)
    assert described(again) == f"{SOCIETY}/test.json:row 2: id 2: id: already used at {SOCIETY}/test-2.json:row 2"


def test_paths_of_several_sources_are_named_from_what_they_have_in_common(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write(tmp_path / folder / "rows.jsonl", [row("1")])
    assert described(read(tmp_path / "a", tmp_path / "b" / "rows.jsonl")[1]) == (
        "b/rows.jsonl:line 1: id 1: id: already used at a/rows.jsonl:line 1"
    )


def test_a_source_named_twice_is_read_once(lamp_qa: Path) -> None:
    assert len(questions(lamp_qa, lamp_qa / ART / "test.json")) == 6


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
ROWS = st.builds(row, st.sampled_from(["1", "2", "3"]), question=st.sampled_from(["q", "", 1]), narrative=JSON_VALUES)


@given(st.lists(ROWS | JSON_VALUES, min_size=1, max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_rows_come_out_one_for_one(tmp_path: Path, rows: list[Any]) -> None:
    items = read(write(tmp_path / "rows.json", rows))
    assert len(items) == len(rows)
    assert all(isinstance(item, Question | Reject) for item in items)


# --- limit and ids


def test_a_limit_counts_good_questions_over_all_subsets(lamp_qa: Path) -> None:
    write(lamp_qa / ART / "test.json", [row("1"), row("2", id=None), row("3")])
    assert names(read(lamp_qa, limit=3)) == ["1", None, "3", "1"]
    report = SourceReport()
    read(lamp_qa, limit=3, report=report)
    assert (report.rows, report.questions, report.rejected) == (4, 3, 1)


def test_only_the_ids_asked_for_are_read_and_missing_ones_are_named(tmp_path: Path) -> None:
    rows = [row("1"), row("2", question=""), row("3"), row("4", question="")]
    path = write(tmp_path / "rows.jsonl", rows)
    items = read(path, ids=("9", "3", "2"))
    assert [described(item) if isinstance(item, Reject) else item.id for item in items] == [
        "rows.jsonl:line 2: id 2: question: empty",
        "3",
        "id 9: no question has this id",
    ]
    with pytest.raises(InputError, match=r"^id 9: no question has this id$"):
        read(path, ids=("9", "3"), strict=True)


# --- users and own posts


def test_users_are_told_over_all_subsets_and_before_limit_and_ids(lamp_qa: Path) -> None:
    write(lamp_qa / ART / "test.json", [row("1", profile=[post("a", LONG)]), row("2", profile=[])])
    write(lamp_qa / SOCIETY / "test.json", [row("1", profile=[post("b"), post("c", LONG.upper())])])
    first, alone, *_, last = questions(lamp_qa)
    assert first.user_key == last.user_key != alone.user_key
    assert names(questions(lamp_qa, ids=("2",), limit=1)) == ["2"]
    assert questions(lamp_qa, limit=1)[0].user_key == first.user_key
    assert [question.user_key for question in questions(lamp_qa, ids=("1",))][::2] == [first.user_key] * 2


def test_faulty_rows_do_not_make_users(tmp_path: Path) -> None:
    shared = [post("a", LONG)]
    bridge = [post("a", LONG), post("b", LONG[::-1])]
    rows = [row("1", profile=shared), row("2", profile=bridge, question=""), row("3", profile=[post("b", LONG[::-1])])]
    first, _, last = read(write(tmp_path / "rows.jsonl", rows))
    assert first.user_key != last.user_key


def test_own_posts_are_dropped_and_counted(tmp_path: Path) -> None:
    rows = [row("1", narrative=LONG, profile=[post("a"), post("own", f"Rye\n{LONG}"), post("b")]), row("2")]
    report = SourceReport()
    first, second = read(write(tmp_path / "rows.jsonl", rows), report=report)
    assert [each.id for each in first.profile] == ["a", "b"]
    assert (first.own_posts_dropped, second.own_posts_dropped, report.own_posts_dropped) == (1, 0, 1)
    assert report.users == 2


def test_importing_is_light() -> None:
    code = "import sys, prbgen.sources; print(*(name.partition('.')[0] for name in sys.modules))"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=True)
    assert not {"numpy", "pyarrow", "rapidfuzz", "datasets", "huggingface_hub"} & set(result.stdout.split())
