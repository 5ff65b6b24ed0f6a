from __future__ import annotations

import csv
import io
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prbgen.annotation.roster import Rater, name_key, read_roster
from prbgen.errors import InputError

NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)


def write(folder: Path, text: str) -> Path:
    file = folder / "raters.csv"
    file.write_bytes(text.encode())
    return file


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(NAMES.map(lambda name: unicodedata.normalize("NFC", name)), min_size=1, max_size=8, unique_by=name_key),
    st.sampled_from(",;\t"),
    st.sampled_from(["", "\ufeff"]),
)
def test_any_names_come_back_whatever_a_spreadsheet_puts_between_them(
    tmp_path: Path, names: list[str], delimiter: str, mark: str
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["username", "first_name"])
    writer.writerows([name, "Ada"] for name in names)
    file = write(tmp_path, mark + text.getvalue())
    assert read_roster(file) == tuple(Rater(name, first_name="Ada") for name in names)


def test_blank_lines_and_empty_cells_say_nothing(tmp_path: Path) -> None:
    file = write(tmp_path, "Username,Password,first_name\nada,,\n\n,,\nبدر, a long secret ,Badr\n")
    assert read_roster(file) == (Rater("ada"), Rater("بدر", "a long secret", "Badr"))


def test_a_rater_is_shown_without_the_password() -> None:
    assert "secret" not in repr(Rater("ada", "secret"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no column username"),
        ("name\nada\n", 'unknown column "name"; did you mean'),
        ("username,age\nada,4\n", 'unknown column "age"; known are username'),
        ("username,username\na,b\n", "the column username is there twice"),
        ("username\n", "names no rater"),
        ("username,password\n,secret\n", "line 2: no username"),
        ("username\nada\nada\n", "line 3: ada is there twice"),
        ("username\nada\nＡＤＡ\n", "line 3: ＡＤＡ is there twice"),
        ('username\n"a\nb"\n', "holds characters that no name has"),
        ("username\na\u2028b\n", "holds characters that no name has"),
        ("username\nada,secret\n", "line 2: 2 cells, but the header has 1"),
        ('username\n"ada\n', "not a CSV file"),
    ],
)
def test_a_faulty_file_is_one_line_that_names_it(tmp_path: Path, text: str, says: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_roster(file)
    assert str(file) in str(caught.value)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_missing_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_roster(tmp_path / "none.csv")
    (tmp_path / "raters.csv").write_bytes(b"username\n\xff\xfe\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_roster(tmp_path / "raters.csv")
