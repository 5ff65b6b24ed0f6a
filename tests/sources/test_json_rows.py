from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from prbgen.errors import InputError
from prbgen.sources.json_rows import json_rows
from prbgen.sources.raw import RawRow


def rows(folder: Path, content: bytes | str, name: str = "rows.json") -> list[RawRow]:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(json_rows(path, "F"))


def test_rows_of_an_array_are_counted_and_those_of_lines_are_placed_by_line(tmp_path: Path) -> None:
    assert rows(tmp_path, '\n [{"a": 1},\n\n{"a": 2}]\n') == [RawRow("F:row 1", {"a": 1}), RawRow("F:row 2", {"a": 2})]
    assert rows(tmp_path, '\n{"a": 1}\r\n \n{"a": 2}') == [RawRow("F:line 2", {"a": 1}), RawRow("F:line 4", {"a": 2})]


@pytest.mark.parametrize("text", ['[{"id": "1"}, {"a": "é"}]', '{"id": "1"}\n{"a": "é"}\n'])
def test_a_byte_order_mark_does_not_matter(tmp_path: Path, text: str) -> None:
    assert [row.value for row in rows(tmp_path, b"\xef\xbb\xbf" + text.encode())] == [{"id": "1"}, {"a": "é"}]


def test_only_newlines_divide_lines(tmp_path: Path) -> None:
    text = json.dumps({"a": "one\u2028two\x85three"}, ensure_ascii=False)
    assert [row.where for row in rows(tmp_path, f"{text}\n{text}\n")] == ["F:line 1", "F:line 2"]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b'{"a": 1, }', "broken JSON: Expecting property name enclosed in double quotes (column 10)"),
        (b'{"a": "caf\xe9"}', "not UTF-8 text"),
        (b"[" * 100_000, "broken JSON: Nested too deeply"),
        (b"1" * 5000, "broken JSON: A number of too many digits"),
    ],
)
def test_a_broken_line_spoils_no_other(tmp_path: Path, line: bytes, fault: str) -> None:
    first, second, third = rows(tmp_path, b'{"a": 1}\n' + line + b'\n{"a": 3}\n')
    assert (first.value, third.value) == ({"a": 1}, {"a": 3})
    assert (second.where, second.fault) == ("F:line 2", fault)


def test_bytes_that_are_no_utf8_spoil_one_row_of_an_array(tmp_path: Path) -> None:
    first, second, third = rows(tmp_path, b'[{"a": 1}, {"a": "caf\xe9"}, {"a": 3}]')
    assert (first.fault, third.fault) == (None, None)
    assert (second.where, second.fault) == ("F:row 2", "not UTF-8 text")


def test_a_lone_surrogate_written_as_an_escape_is_no_fault(tmp_path: Path) -> None:
    assert [row.value for row in rows(tmp_path, r'["\ud800"]')] == ["\ud800"]
    assert [row.value for row in rows(tmp_path, r'{"id": "\udc80"}')] == [{"id": "\udc80"}]


def test_a_broken_array_ends_its_file_and_says_so(tmp_path: Path) -> None:
    *good, broken = rows(tmp_path, '[\n{"a": 1},\n{"a": 2},\n{"a": 3\n{"a": 4}]')
    assert [row.value for row in good] == [{"a": 1}, {"a": 2}]
    assert broken.where == "F:line 5"
    assert broken.fault == "broken JSON: Expecting ',' delimiter (column 1); nothing after row 2 could be read"


@pytest.mark.parametrize("array", [True, False])
def test_a_cut_off_gzip_file_gives_what_is_whole_and_then_a_fault(tmp_path: Path, array: bool) -> None:
    values = [{"a": number, "b": "padding " * 8} for number in range(40_000)]
    text = json.dumps(values) if array else "\n".join(json.dumps(each) for each in values)
    packed = gzip.compress(text.encode(), compresslevel=1)
    *good, broken = rows(tmp_path, packed[: len(packed) * 3 // 4], "rows.json.gz")
    assert [row.value for row in good] == values[: len(good)]
    assert good
    assert broken.where == "F"
    assert (broken.fault or "").endswith(f"too early or are damaged: nothing after {good[-1].where} could be read")


def test_a_gzip_file_cut_off_in_its_first_row_is_a_fault(tmp_path: Path) -> None:
    [broken] = rows(tmp_path, gzip.compress(b'[{"a": 1}]')[:12], "rows.json.gz")
    assert (broken.fault or "").endswith("nothing could be read")


def test_a_gzip_file_with_a_wrong_checksum_is_a_fault_after_its_rows(tmp_path: Path) -> None:
    packed = gzip.compress(b'{"id": "1"}\n{"id": "2"}\n')
    *good, broken = rows(tmp_path, packed[:-8] + b"\0" * 8, "rows.jsonl.gz")
    assert [row.value for row in good] == [{"id": "1"}, {"id": "2"}]
    assert (broken.fault or "").endswith("nothing after F:line 2 could be read")


def test_a_file_that_is_only_called_gz_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"rows\.jsonl\.gz: Not a gzipped file"):
        rows(tmp_path, '{"a": 1}\n', "rows.jsonl.gz")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"data": [{"id": "1"}]}),
        json.dumps({"data": [{"id": "1"}]}, indent=2),
        json.dumps({"id": "1", "question": "q"}, indent=2),
        '{"data": [\n{"id": "1"},\n{"id": "2"}\n]}',
        "{}",
    ],
)
def test_a_file_of_one_object_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="holds one JSON object; it should be an array of rows, or one row a line"):
        rows(tmp_path, text)


def test_one_line_of_one_row_is_a_row(tmp_path: Path) -> None:
    assert [row.value for row in rows(tmp_path, '{"id": "1"}')] == [{"id": "1"}]


@pytest.mark.parametrize("first", ['{"id": "1", "question": "wha', '{"id": "1",', '{"id": "1"'])
def test_a_first_line_that_breaks_off_is_one_fault(tmp_path: Path, first: str) -> None:
    broken, good = rows(tmp_path, f'{first}\n{{"id": "2"}}\n')
    assert (broken.fault or "").startswith("broken JSON: ")
    assert good == RawRow("F:line 2", {"id": "2"})


def test_an_empty_file_holds_no_rows(tmp_path: Path) -> None:
    assert rows(tmp_path, " \n") == rows(tmp_path, "[]") == rows(tmp_path, "") == []


def test_one_object_is_a_row_if_it_has_a_column_that_is_known(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text('{"chosen": "a"}')
    assert list(json_rows(path, "F", ["chosen"])) == [RawRow("F:line 1", {"chosen": "a"})]
    with pytest.raises(InputError, match="holds one JSON object"):
        list(json_rows(path, "F"))
