import codecs
import csv
import io
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from prbgen.annotation.response import Response
from prbgen.annotation.sheets.read import Sheets, read_sheets
from prbgen.annotation.sheets.write import write_sheets
from prbgen.errors import InputError
from prbgen.schema import Round
from tests.annotation.forms import campaign_of, content_of, form_of, item_of, response_of

RATERS = ["anna", "bo"]
ITEMS = [item_of(f"i{n}") for n in range(4)]
QUALITY = [each.name for each in form_of().asked]
FULL = dict.fromkeys(QUALITY, "3")


def alias(name: str) -> str:
    return f"p-{name}"


def sheets(folder: Path, round_: Round = "quality") -> Sheets:
    return read_sheets(folder, campaign_of(round_), form_of(round_), ITEMS, alias, RATERS)


def read(folder: Path, round_: Round = "quality") -> list[Response]:
    return sheets(folder, round_).responses


def sheet(*rows: dict[str, str], names: list[str] = QUALITY) -> str:
    """A sheet of a round; "item" says which."""
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, ["item", *names])
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def put(folder: Path, text: str | bytes, name: str = "anna.csv") -> Path:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def refused(folder: Path, round_: Round = "quality") -> str:
    with pytest.raises(InputError) as caught:
        read(folder, round_)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_full_rows_are_submitted_half_full_ones_drafts_and_empty_ones_nothing(tmp_path: Path) -> None:
    rows = [{"item": "#i1"} | FULL, {"item": "#i0", "relevance_a": "4"}, {"item": "#i2"}]
    assert read(put(tmp_path, sheet(*rows))) == [
        response_of("i0", "p-anna", "draft", None, relevance_a=4),
        response_of("i1", "p-anna", "submitted", None, **dict.fromkeys(QUALITY, 3)),
    ]


def test_a_comment_alone_is_a_draft_and_none_is_needed(tmp_path: Path) -> None:
    text = "item,adherence_a,adherence_b,better,comment\ni0,,,,why\ni1,4,5,b,\n"
    assert [(each.status, each.values) for each in read(put(tmp_path, text), "blind")] == [
        ("draft", {"comment": "why"}),
        ("submitted", {"adherence_a": 4, "adherence_b": 5, "better": "B"}),
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"item": "i0", "relevance_b": "9"}], 'anna.csv, row 2, relevance_b: "9" should be 1, 2, 3, 4, 5, 0 = can'),
        ([{"item": "i0"}, {"item": "x1"}], 'anna.csv, row 3, item: "x1" is no item of this round'),
        ([{"relevance_b": "1"}], 'anna.csv, row 2, item: "" is no item of this round'),
        ([{"item": "i0"} | FULL, {"item": "i0", "relevance_a": "1"}], "row 3: answers the item of row 2 again"),
    ],
)  # fmt: skip
def test_a_fault_is_told_by_file_row_and_column(tmp_path: Path, rows: list[dict[str, str]], said: str) -> None:
    assert said in refused(put(tmp_path, sheet(*rows)))


def test_all_faults_are_counted_and_the_first_named(tmp_path: Path) -> None:
    put(tmp_path, sheet({"item": "i0"} | dict.fromkeys(QUALITY, "7")))
    put(tmp_path, sheet({"item": "i0"} | dict.fromkeys(QUALITY, "8")), "bo.csv")
    said = refused(tmp_path)
    assert "12 faults: anna.csv, row 2, factuality_a" in said
    assert said.endswith("; and 9 more (nothing was taken)")
    assert said.count("should be") == 3


def test_the_same_answers_twice_are_one(tmp_path: Path) -> None:
    rows = [{"item": "i0"}, {"item": "i0"} | FULL, {"item": "i0"} | FULL, {"item": "i0"}]
    assert len(read(put(tmp_path, sheet(*rows)))) == 1


def test_an_item_in_two_files_of_a_rater_is_refused_but_two_raters_may_have_it(tmp_path: Path) -> None:
    put(tmp_path, sheet({"item": "i0"} | FULL))
    assert len(read(put(tmp_path, sheet({"item": "i0"} | FULL), "bo.csv"))) == 2
    put(tmp_path, sheet({"item": "i0"}), "anna-2.csv")
    assert "anna.csv: has 1 of the items in anna-2.csv" in refused(tmp_path)


def test_rows_tell_what_was_there_answered_or_not(tmp_path: Path) -> None:
    put(tmp_path, sheet({"item": "i0"} | FULL, {"item": "i2"}))
    put(tmp_path, sheet({"item": "i3"}), "bo-2.csv")
    assert sheets(tmp_path).rows == {("p-anna", "i0"), ("p-anna", "i2"), ("p-bo", "i3")}


def test_later_sheets_of_a_rater_are_theirs(tmp_path: Path) -> None:
    put(tmp_path, sheet({"item": "i0"} | FULL))
    put(tmp_path, sheet({"item": "i1"} | FULL), "ANNA-12.CSV")
    assert [each.rater for each in read(tmp_path)] == ["p-anna", "p-anna"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("eve.csv", "eve.csv: is no rater's sheet"),
        ("anna (1).csv", "no rater's sheet"),
        ("anna.xlsx", "save its sheet as CSV"),
    ],
)
def test_files_that_are_no_sheets_are_refused(tmp_path: Path, name: str, said: str) -> None:
    put(tmp_path, sheet())
    assert said in refused(put(tmp_path, sheet(), name))


def test_lock_files_and_others_are_passed_over(tmp_path: Path) -> None:
    for name in (".~lock.anna.csv#", "~$anna.xlsx", "._anna.csv", "guidelines.md", "assigned.json"):
        put(tmp_path, b"\xff\xfe\x00", name)
    assert read(put(tmp_path, sheet({"item": "i0"} | FULL)))


def test_a_folder_without_sheets_is_refused(tmp_path: Path) -> None:
    assert "holds no sheets of the round quality" in refused(tmp_path)
    assert "No such file" in refused(tmp_path / "missing")


def test_a_deleted_column_is_refused(tmp_path: Path) -> None:
    put(tmp_path, sheet(names=QUALITY[1:]))
    assert "anna.csv: has no column factuality_a" in refused(tmp_path)
    put(tmp_path, "relevance_a\n3\n")
    assert "has no column item" in refused(tmp_path)
    put(tmp_path, sheet(names=[*QUALITY, QUALITY[0]]))
    assert "has the column factuality_a twice" in refused(tmp_path)


@pytest.mark.parametrize(
    "text", [b"", b"\n\n", b'item,"a\n', b"\xff\xfea", b"\xff\xfe\x00\xd8\x00\x00", b"item" + b"x" * 200_000, b"\0" * 9]
)
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, text: bytes) -> None:
    assert "anna.csv: " in refused(put(tmp_path, text))


def test_where_the_encoding_is_unknown_only_texts_beyond_ascii_are_refused(tmp_path: Path) -> None:
    head = "item,question,adherence_a,adherence_b,better,comment\n"
    put(tmp_path, f"{head}i0,café?,4,5,B,good\n".encode("cp1252"))
    assert read(tmp_path, "blind")[0].values["comment"] == "good"
    put(tmp_path, f"{head}i0,café?,4,5,B,très bon\n".encode("cp1252"))
    assert 'row 2, comment: "tr' in (said := refused(tmp_path, "blind"))
    assert "save the sheet as CSV UTF-8" in said


@pytest.mark.parametrize(("lead", "rows"), [("sep=;\r\n", 0), ("\r\n;;\r\n", 2), ("", 0)])
@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_rows_are_counted_as_a_spreadsheet_does(tmp_path: Path, lead: str, rows: int, end: str) -> None:
    put(tmp_path, lead + f"item;adherence_a;adherence_b;better{end};;;{end}i0;4;4;equal{end}i1;4;4{end}i2;9;;{end}")
    assert f"row {5 + rows}, adherence_a" in refused(tmp_path, "blind")


MARKS = st.integers(1, 5)
ASPECTS = st.just(["none"]) | st.sets(st.integers(1, 5), min_size=1).map(lambda each: [str(n) for n in sorted(each)])
# What spreadsheets strip or that Excel's own marks would spoil is left out.
COMMENTS = (
    st.text("ab;,\"'\t=- \n\u00e9猫٤\U0001f600", max_size=12).map(str.strip).filter(lambda each: each.strip(" '"))
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "covers_a": ASPECTS, "covers_b": ASPECTS, "adherence_a": MARKS, "adherence_b": MARKS,
        "better": st.sampled_from(["A", "B", "equal"]), "comment": COMMENTS,
    },
)  # fmt: skip
ENCODINGS = st.sampled_from([
    lambda text: text.encode(),
    lambda text: codecs.BOM_UTF8 + text.encode(),
    lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
])  # fmt: skip


def spelled(value: JsonValue, chance: random.Random) -> str:
    """A value as a person or a spreadsheet may spell it."""
    if isinstance(value, int):
        return chance.choice(
            [f"{value}", f" {value} ", f"{value}.0", f"{value},00", chr(0xFF10 + value), chr(0x660 + value)]
        )
    if isinstance(value, list):
        return chance.choice([";", ", ", " ", "; ", "；"]).join(map(str, value)) if value != ["none"] else "None"
    assert isinstance(value, str)
    return chance.choice([value.lower(), value.upper(), f" {value}"]) if value in ("A", "B", "equal") else value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    answers=st.dictionaries(st.tuples(st.sampled_from(["i0", "i1", "i2", "i3"]), st.sampled_from(RATERS)), ANSWERS),
    delimiter=st.sampled_from(",;\t"), ends=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), encode=ENCODINGS, seed=st.integers(0, 1 << 20),
)  # fmt: skip
def test_what_raters_fill_in_comes_back_whatever_the_spreadsheet_does(
    tmp_path: Path,
    answers: dict[tuple[str, str], dict[str, Any]],
    delimiter: str,
    ends: str,
    quoting: Any,
    encode: Any,
    seed: int,
) -> None:
    chance, form = random.Random(seed), form_of("rubric")
    folder = tmp_path / "sheets"
    shutil.rmtree(folder, ignore_errors=True)
    campaign = campaign_of("rubric", raters_per_item=2)
    record = tmp_path / "run" / "assigned.json"
    record.unlink(missing_ok=True)
    contents = [(item, content_of(item.id)) for item in ITEMS]
    write_sheets(folder, record, campaign, form, RATERS, alias, contents)
    for rater in RATERS:
        path = folder / f"{rater}.csv"
        head, *rows = csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""))
        names = [cell.partition(":")[0] for cell in head]
        for row in rows:
            for name, value in answers.get((row[0].removeprefix("#"), rater), {}).items():
                row[names.index(name)] = spelled(value, chance)
        chance.shuffle(rows)
        for _ in range(chance.randrange(3)):
            rows.insert(chance.randrange(len(rows) + 1), [""] * len(head))
        places = [*range(len(head)), None]
        chance.shuffle(places)
        table = [["notes" if at is None else head[at] for at in places]]
        table += [["my note" * chance.randrange(2) if at is None else row[at] for at in places] for row in rows]
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=delimiter, lineterminator=ends, quoting=quoting).writerows(table)
        path.write_bytes(encode(text.getvalue()))
    required = {each.name for each in form.asked if each.required}
    expected = [
        response_of(item, f"p-{rater}", "submitted" if required <= values.keys() else "draft", None, **values)
        for (item, rater), values in sorted(answers.items())
        if values
    ]
    found = sheets(folder, "rubric")
    assert found.responses == expected
    assert found.rows == {(alias(rater), item.id) for rater in RATERS for item in ITEMS}


HEAD = ",".join(["item", *QUALITY]).encode()


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=200)
    | st.builds(lambda mark, rest: mark + HEAD + b"\n" + rest, st.sampled_from([b"", codecs.BOM_UTF8]), st.binary())
    | st.text('i0,;"\n\r\t45.\ud800\x00é', max_size=60).map(
        lambda text: codecs.BOM_UTF16_LE + (HEAD.decode() + "\n" + text).encode("utf-16-le", "surrogatepass")
    )
    | st.lists(st.text('i0 "\n;45\x00\u0660²', max_size=4), max_size=20).map(
        lambda cells: HEAD + b"\n" + ",".join(cells).encode()
    )
)  # fmt: skip
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes) -> None:
    put(tmp_path, data)
    said = ""
    try:
        read(tmp_path)
    except InputError as error:
        said = str(error)
    assert "\n" not in said
    said.encode()
