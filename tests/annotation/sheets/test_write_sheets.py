import csv
import io
import os
import shutil
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.items import Content, Item
from prbgen.annotation.sheets.assigned import read_assigned
from prbgen.annotation.sheets.assignment import assign, ordered
from prbgen.annotation.sheets.write import Written, check_sheets, write_sheets
from prbgen.errors import InputError, PrbgenError
from prbgen.schema import Round
from tests.annotation.forms import campaign_of, content_of, form_of, item_of

RATERS = ["anna", "bo", "cem", "dao"]


def round_of(count: int, start: int = 0) -> list[Item]:
    pairs = [item_of(f"i{n}") for n in range(start, start + count)]
    repeats = [item_of(f"again{n}", kind="repeat", chosen="B", repeats=f"i{n}") for n in range(start, start + count, 5)]
    return [*pairs, *repeats, item_of(f"g{start}", kind="gold")]


def alias(name: str) -> str:
    return f"p-{name[::-1]}"


def record_of(folder: Path) -> Path:
    """The record of who got what, in the run that a test's sheets are written from."""
    return folder.parent / "run" / "annotation" / "assigned.json"


def write(
    folder: Path,
    items_contents: Iterable[tuple[Item, Content]],
    raters: list[str] | None = None,
    round_: Round = "rubric",
    record: Path | None = None,
    per_item: int = 2,
) -> Written:
    campaign, form = campaign_of(round_, raters_per_item=per_item), form_of(round_)
    record = record or record_of(folder)
    return write_sheets(folder, record, campaign, form, raters or RATERS, alias, items_contents)


def written(
    folder: Path,
    items: list[Item],
    raters: list[str] | None = None,
    round_: Round = "rubric",
    record: Path | None = None,
    per_item: int = 2,
) -> Written:
    return write(folder, ((item, content_of(item.id, round_)) for item in items), raters, round_, record, per_item)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sheets"


def table(path: Path) -> list[list[str]]:
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def ids(path: Path) -> list[str]:
    return [row[0].removeprefix("#") for row in table(path)[1:]]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def ids_of(items: Iterable[Item]) -> tuple[str, ...]:
    return tuple(item.id for item in items)


def test_every_rater_gets_a_sheet_of_their_own_and_the_guidelines(folder: Path) -> None:
    assert written(folder, round_of(20)) == Written(ids_of(round_of(20)), 0, 4)
    assert sorted(bytes_of(folder)) == ["anna.csv", "bo.csv", "cem.csv", "dao.csv", "guidelines.md"]
    assert (folder / "guidelines.md").read_text(encoding="utf-8") == "# Guidelines of rubric\n"
    sheets = {name: ids(folder / f"{name}.csv") for name in RATERS}
    counts = Counter(item for sheet in sheets.values() for item in sheet)
    assert counts == {item.id: 4 if item.kind == "gold" else 2 for item in round_of(20)}
    assert {len(sheet) for sheet in sheets.values()} <= {13, 14}


def test_the_run_knows_who_got_what_under_pseudonyms(folder: Path) -> None:
    written(folder, round_of(10))
    record = record_of(folder)
    assert [path.name for path in record.parent.iterdir()] == ["assigned.json"]
    assert read_assigned(record) == {
        item.id: tuple(sorted(alias(name) for name in RATERS if item.id in ids(folder / f"{name}.csv")))
        for item in round_of(10)
    }
    assert not any(f'"{name}"' in record.read_text(encoding="utf-8") for name in RATERS)


@pytest.mark.parametrize(
    ("round_", "shown"),
    [
        ("quality", ["question", "answer_a", "answer_b"]),
        ("blind", ["question", "posts", "answer_a", "answer_b"]),
        ("rubric", ["question", "posts", "aspects", "answer_a", "answer_b"]),
    ],
)
def test_a_sheet_shows_what_its_round_may_show_and_says_what_to_enter(
    folder: Path, round_: Round, shown: list[str]
) -> None:
    written(folder, round_of(2), round_=round_)
    head, first, *_ = table(folder / "anna.csv")
    assert head[1 : 1 + len(shown)] == shown
    assert [cell.partition(":")[0] for cell in head[1 + len(shown) :]] == [each.name for each in form_of(round_).asked]
    assert not any(first[1 + len(shown) :])
    if round_ == "quality":
        assert head[-1] == "helpfulness_b: Helpfulness of B [1, 2, 3, 4, 5, 0 = can't tell]"
    else:
        assert head[-2:] == [
            "better: Which is better? [A, B, equal = equally good]",
            "comment: Comment [any text, or nothing]",
        ]
    assert first[1].startswith("'=Question")
    assert first[-len(form_of(round_).asked) - 2 :][:2] == ["'-first\nsecond line", "'@b"]
    if round_ == "rubric":
        assert first[2] == '1. [gardening] A "quoted", post;\nof two lines\n\n2. 猫と植物'
        assert first[3].startswith("1. aspect 0\n\n2. aspect 1 (a reason)")


def test_the_same_round_makes_the_same_sheets_and_another_seed_others(tmp_path: Path) -> None:
    for name in ("one", "two"):
        written(tmp_path / name / "sheets", round_of(9))
    assert bytes_of(tmp_path / "one" / "sheets") == bytes_of(tmp_path / "two" / "sheets")
    orders = {tuple(ordered(round_of(9), name, seed)) for name in RATERS for seed in "01"}
    assert len(orders) == 8


def test_a_second_push_writes_only_what_is_new_and_leaves_answers_alone(folder: Path) -> None:
    written(folder, round_of(10))
    (folder / "bo.csv").write_text("answers", encoding="utf-8")
    before = bytes_of(folder)
    assert written(folder, round_of(10)) == Written((), 13, 0)
    assert bytes_of(folder) == before
    late = item_of("late", kind="repeat", repeats="i3")
    again_and_more = [*round_of(10), *round_of(10, start=10), late]
    assert written(folder, again_and_more) == Written(ids_of([*round_of(10, start=10), late]), 13, 4)
    after = bytes_of(folder)
    assert {name: after[name] for name in before} == before
    assert sorted(after.keys() - before.keys()) == [f"{name}-2.csv" for name in RATERS]
    told = read_assigned(record_of(folder))
    assert told["late"] == told["i3"]
    assert written(folder, again_and_more) == Written((), 27, 0)


def test_a_second_push_to_another_folder_writes_only_what_is_new_there(folder: Path) -> None:
    written(folder, round_of(10))
    other, record = folder.with_name("other"), record_of(folder)
    assert written(other, round_of(10), record=record) == Written((), 13, 0)
    assert not other.exists()
    written(other, [*round_of(10), *round_of(10, start=10)], record=record)
    assert sorted(bytes_of(other)) == [*sorted(f"{name}-2.csv" for name in RATERS), "guidelines.md"]
    sheets = [ids(path) for path in other.glob("*.csv")]
    assert {item for sheet in sheets for item in sheet} == set(ids_of(round_of(10, start=10)))


def test_a_new_rater_gets_new_items_and_all_gold_items(folder: Path) -> None:
    written(folder, round_of(10))
    assert written(folder, round_of(10), [*RATERS, "eve"]) == Written((), 13, 0)
    written(folder, [*round_of(10), *round_of(10, start=10)], [*RATERS, "eve"])
    assert {"g0", "g10"} <= set(ids(folder / "eve-2.csv"))
    assert "g0" not in ids(folder / "anna-2.csv")


def test_a_further_rater_an_item_gets_what_the_others_had(folder: Path) -> None:
    items = round_of(10)
    written(folder, items)
    before = bytes_of(folder)
    assert written(folder, items, ["eve"], per_item=3) == Written((), 13, 1)
    assert bytes_of(folder).items() >= before.items()
    # Repeated items too, as she has those that they repeat.
    assert sorted(ids(folder / "eve-2.csv")) == sorted(ids_of(items))
    assert written(folder, items, [*RATERS, "eve"], per_item=3) == Written((), 13, 0)
    counts = Counter(item for path in folder.glob("*.csv") for item in ids(path))
    assert counts == {item.id: 5 if item.kind == "gold" else 3 for item in items}


def test_new_items_want_all_their_raters_also_later(folder: Path) -> None:
    written(folder, round_of(5))
    before = tree(folder.parent)
    with pytest.raises(InputError, match="2 ratings for each of 5 new items need as many raters, named: 1"):
        written(folder, [*round_of(5), *round_of(5, start=5)], ["eve"])
    assert tree(folder.parent) == before


def test_a_write_that_is_interrupted_leaves_nothing_and_the_next_goes_on(folder: Path) -> None:
    written(folder, round_of(10))
    before = tree(folder.parent)

    def broken() -> Iterator[tuple[Item, Content]]:
        for item in round_of(10, start=10):
            yield item, content_of(item.id)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(folder, broken())
    assert tree(folder.parent) == before


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def killed_at(step: int, within: Path, work: Callable[[], object]) -> bool:
    """Do it in a process that dies, without any clean-up, when it is about to change something in a folder once more
    than `step` times; false if it came to its end before.
    """
    child = os.fork()
    if not child:
        left = step

        def hook(event: str, words: tuple[object, ...]) -> None:
            nonlocal left
            writes = event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir") or (
                event == "open" and words[1] != "r"
            )
            if writes and str(words[0]).startswith(str(within)):
                left -= 1
                if left < 0:
                    os._exit(9)

        sys.addaudithook(hook)
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9)
    return code == 9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_killed_at_any_step_the_same_write_again_gives_the_same_files(tmp_path: Path) -> None:
    first, more = round_of(5), [*round_of(5), *round_of(5, start=5)]
    begun, whole = tmp_path / "begun", tmp_path / "whole"
    written(begun / "sheets", first)
    shutil.copytree(begun, whole)
    written(whole / "sheets", more)
    states = set()
    for step in range(200):
        world = tmp_path / str(step)
        shutil.copytree(begun, world)
        killed = killed_at(step, world, lambda to=world: written(to / "sheets", more))  # type: ignore[misc]
        states.add(frozenset(tree(world)))
        assert not [
            path for path in (world / "sheets").iterdir() if path.name.startswith(".") or path.suffix == ".json"
        ]
        written(world / "sheets", more)
        assert tree(world) == tree(whole)
        assert sorted(path.name for path in (world / "run" / "annotation").iterdir()) == ["assigned.json"]
        if not killed:
            break
    else:
        pytest.fail("the write never came to its end")
    assert len(states) > 15


def test_a_sheet_that_a_rater_began_before_the_write_was_finished_is_left_alone(folder: Path) -> None:
    written(folder, round_of(10))
    complete = record_of(folder).parent / "sheets.complete"
    complete.mkdir()
    (folder / "cem.csv").rename(complete / "cem.csv")
    record_of(folder).rename(complete / "assigned.json")
    (folder / "anna.csv").write_text("answers", encoding="utf-8")
    assert written(folder, round_of(10)) == Written((), 13, 0)
    assert (folder / "anna.csv").read_text(encoding="utf-8") == "answers"
    assert (folder / "cem.csv").exists()


def test_a_rater_whose_sheets_could_be_taken_for_an_earlier_ones_is_refused(folder: Path) -> None:
    campaign = campaign_of(raters=tuple(map(alias, ["anna", "bo"])), raters_per_item=1)
    with pytest.raises(InputError, match='of "anna" could have the name'):
        write_sheets(folder, record_of(folder), campaign, form_of(), ["anna-2"], alias, [])
    assert not folder.parent.joinpath("run").exists()


def test_somebody_elses_file_is_not_overwritten(folder: Path) -> None:
    folder.mkdir()
    (folder / "cem.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"cem\.csv: is there already"):
        written(folder, round_of(3))
    assert tree(folder.parent) == {"sheets/cem.csv": b"mine"}


def test_another_rounds_or_a_broken_record_is_refused(folder: Path) -> None:
    written(folder, round_of(3))
    other = campaign_of("quality", id="99999999")
    with pytest.raises(InputError, match="another round or run"):
        write_sheets(folder, record_of(folder), other, form_of(), RATERS, alias, [])
    record_of(folder).write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="restore it"):
        written(folder, round_of(3))
    record_of(folder).unlink()
    with pytest.raises(InputError, match="restore it"):
        read_assigned(record_of(folder))


def test_what_can_be_known_before_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder, raters, said in [
        (tmp_path / "new", ["anna"], "2 ratings an item need as many raters, named: 1"),
        (tmp_path / "new", ["anna", "anna"], "named: 1"),
        (tmp_path / "new", ["anna", "a/b"], "makes no file name"),
        (tmp_path / "new", ["anna", "Anna"], "make the same file name"),
        (tmp_path / "file", RATERS, "file: is no folder"),
        (tmp_path / "file" / "below", RATERS, "file: is no folder"),
    ]:
        with pytest.raises(InputError, match=said):
            check_sheets(folder, raters, 2)
        with pytest.raises(InputError, match=said):
            written(folder, round_of(3), raters, record=tmp_path / "run" / "assigned.json")
    check_sheets(tmp_path / "new" / "below", RATERS)
    assert tree(tmp_path) == {"file": b""}
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_written_to_is_told_and_the_next_write_goes_on_elsewhere(folder: Path) -> None:
    (folder / "guidelines.md").mkdir(parents=True)
    with pytest.raises(PrbgenError, match=r"sheets: cannot be written"):
        written(folder, round_of(3))
    (folder / "guidelines.md").rmdir()
    assert written(folder, round_of(3)) == Written((), 5, 0)
    assert sorted(bytes_of(folder)) == ["anna.csv", "bo.csv", "cem.csv", "dao.csv", "guidelines.md"]


@given(st.integers(0, 40), st.integers(0, 4), st.integers(2, 6), st.data())
def test_loads_differ_by_one_at_most(pairs: int, repeated: int, raters: int, data: st.DataObject) -> None:
    per_item = data.draw(st.integers(1, raters))
    names = [f"r{n}" for n in range(raters)]
    items = [item_of(f"i{n}", subset=f"s{n % 3}") for n in range(pairs)]
    # Enough that are not repeated to even out those that are.
    items += [item_of(f"again{n}", kind="repeat", repeats=f"i{n}") for n in range(min(repeated, pairs // (raters + 1)))]
    found = assign(items, names, per_item, "0", {})
    assert found == assign(items[::-1], names[::-1], per_item, "0", {})
    loads = Counter(dict.fromkeys(names, 0))
    for item in items:
        assert len(set(found[item.id])) == len(found[item.id]) == per_item
        if item.repeats:
            assert found[item.id] == found[item.repeats]
        loads.update(found[item.id])
    assert max(loads.values()) - min(loads.values()) <= 1


@given(st.integers(1, 40), st.integers(1, 40), st.text(max_size=3))
def test_a_repeated_item_comes_half_a_sheet_later(pairs: int, repeated: int, seed: str) -> None:
    items = [item_of(f"i{n}") for n in range(pairs)]
    items += [item_of(f"again{n}", kind="repeat", repeats=f"i{n}") for n in range(min(repeated, pairs))]
    order = ordered(items, "anna", seed)
    assert sorted(order) == sorted(item.id for item in items)
    for item in items:
        if item.repeats:
            assert order.index(item.id) - order.index(item.repeats) >= len(items) // 2 - 1


def test_memory_does_not_grow_with_what_is_shown(folder: Path) -> None:
    text = "word " * 2000
    items = [item_of(f"i{n}") for n in range(1000)]

    def contents() -> Iterator[tuple[Item, Content]]:
        for item in items:
            yield item, Content(question=item.id, a=text, b=text)

    tracemalloc.start()
    write(folder, contents(), round_="quality")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(path.stat().st_size for path in folder.iterdir()) > 30_000_000
    assert peak < 5_000_000
