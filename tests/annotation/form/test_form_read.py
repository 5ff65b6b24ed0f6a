import re
from pathlib import Path
from typing import get_args

import pytest

from prbgen.annotation.form.read import freeze, frozen, read_form
from prbgen.errors import InputError, PrbgenError
from prbgen.resources import resource
from prbgen.schema import Round

ROUNDS: tuple[Round, ...] = get_args(Round)
SHIPPED = resource("annotation")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "own"


def write(own: Path, name: str, text: str) -> Path:
    path = own / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("round_", ROUNDS)
def test_without_files_of_ones_own_the_shipped_ones_are_used(round_: Round, own: Path) -> None:
    form = read_form(round_, [own], 5)
    assert form == read_form(round_, [], 5)
    assert form.guidelines == (SHIPPED / "guidelines" / f"{round_}.md").read_text(encoding="utf-8").strip()
    assert form.layout == (SHIPPED / "layout" / f"{round_}.html").read_text(encoding="utf-8").strip()


def test_one_file_of_ones_own_replaces_just_that_one(own: Path) -> None:
    write(own, "guidelines/blind.md", "\ufeff# Guess\r\n\r\nWhat do they want?\n")
    form = read_form("blind", [own], 5)
    assert form.guidelines == "# Guess\n\nWhat do they want?"
    assert form.asked == read_form("blind", [], 5).asked


def test_the_first_folder_that_has_a_file_gives_it(own: Path, tmp_path: Path) -> None:
    write(tmp_path / "second", "guidelines/quality.md", "# Second")
    write(tmp_path / "second", "layout/quality.html", "<p>{{{record.fields.item.a}}}</p>")
    write(own, "guidelines/quality.md", "# First")
    form = read_form("quality", [own, tmp_path / "second"], 0)
    assert (form.guidelines, form.layout) == ("# First", "<p>{{{record.fields.item.a}}}</p>")


@pytest.mark.parametrize("round_", ROUNDS)
def test_a_frozen_form_reads_back_equal_whatever_becomes_of_the_files(
    round_: Round, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (SHIPPED / "questions" / f"{round_}.toml").read_text(encoding="utf-8")
    edited = write(own, f"questions/{round_}.toml", "# mine\n" + text)
    form = read_form(round_, [own], 13)
    edited.write_text("changed", encoding="utf-8")
    freeze(form, tmp_path / "form")
    monkeypatch.setattr("prbgen.annotation.form.read.resource", None)  # nothing shipped is needed
    assert frozen(tmp_path / "form", round_) == form
    assert "# mine\n" in (tmp_path / "form" / "questions" / f"{round_}.toml").read_text(encoding="utf-8")
    labels = [len(asked.options) for asked in form.asked if asked.kind == "aspects"]
    assert labels == ([14, 14] if round_ == "rubric" else [])


@pytest.mark.parametrize("round_", ROUNDS)
def test_a_frozen_form_is_a_folder_to_read_from_and_frozen_again_stays_byte_for_byte(
    round_: Round, own: Path, tmp_path: Path
) -> None:
    once, again = tmp_path / "once", tmp_path / "again"
    freeze(read_form(round_, [own], 13), once)
    form = read_form(round_, [own, once], 13)
    assert form == frozen(once, round_)
    freeze(form, again)
    files = {str(path.relative_to(once)): path.read_bytes() for path in once.rglob("*") if path.is_file()}
    gold = {"gold/rubric.j2"} if round_ == "rubric" else set()
    assert set(files) == {f"guidelines/{round_}.md", f"questions/{round_}.toml", f"layout/{round_}.html"} | gold
    assert {str(path.relative_to(again)): path.read_bytes() for path in again.rglob("*") if path.is_file()} == files


@pytest.mark.parametrize("key", ["aspects = 11", "  'aspects'=11 # mine", '"aspects"\t= 1_1'])
def test_a_number_of_aspects_of_ones_own_is_replaced_by_a_greater_one(own: Path, tmp_path: Path, key: str) -> None:
    text = (SHIPPED / "questions" / "rubric.toml").read_text(encoding="utf-8")
    write(own, "questions/rubric.toml", f"{key}\n\n{text}\n# aspects = 3\n")
    for aspects, labels in ((5, 11), (20, 20)):
        freeze(read_form("rubric", [own], aspects), tmp_path / "form")
        [covers, _] = [asked for asked in frozen(tmp_path / "form", "rubric").asked if asked.kind == "aspects"]
        assert len(covers.options) == labels + 1


@pytest.mark.parametrize("number", ["0", "-1", "500", "'5'"])
def test_a_number_of_aspects_that_cannot_be_is_refused(own: Path, number: str) -> None:
    text = (SHIPPED / "questions" / "rubric.toml").read_text(encoding="utf-8")
    write(own, "questions/rubric.toml", f"aspects = {number}\n{text}")
    with pytest.raises(InputError, match=r"rubric\.toml: 'aspects' must be"):
        read_form("rubric", [own], 5)


def test_freezing_again_replaces_what_was_frozen(own: Path, tmp_path: Path) -> None:
    freeze(read_form("quality", [own], 5), tmp_path / "form")
    write(own, "guidelines/quality.md", "# Again")
    freeze(read_form("quality", [own], 5), tmp_path / "form")
    assert frozen(tmp_path / "form", "quality").guidelines == "# Again"


def test_forms_that_say_the_same_are_equal_and_of_one_hash(own: Path) -> None:
    text = (SHIPPED / "questions" / "blind.toml").read_text(encoding="utf-8")
    write(own, "questions/blind.toml", "# a remark\n" + text)
    one, other = read_form("blind", [], 0), read_form("blind", [own], 0)
    assert one.sources != other.sources
    assert one == other
    assert hash(one) == hash(other)
    assert "a remark" not in repr(other)


def test_the_wording_of_gold_items_belongs_to_the_rubric_round(own: Path) -> None:
    write(own, "gold/rubric.j2", "{{ aspects | join }}")
    assert read_form("rubric", [own], 5).gold == "{{ aspects | join }}"
    assert read_form("blind", [own], 5).gold is None
    assert read_form("rubric", [], 5).gold == (SHIPPED / "gold" / "rubric.j2").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["layout/rubric.html", "gold/rubric.j2"])
def test_a_missing_copy_is_said(tmp_path: Path, name: str) -> None:
    freeze(read_form("rubric", [], 5), tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(InputError, match=re.escape(f"{name}: No such file")):
        frozen(tmp_path, "rubric")


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "form").touch()
    with pytest.raises(PrbgenError, match="cannot be written"):
        freeze(read_form("blind", [], 0), tmp_path / "form")


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("guidelines/rubric.md", " \n\t\n", "is empty"),
        ("guidelines/rubric.md", "x" * 10_001, "has 10001 characters; Argilla takes 10000"),
        ("layout/rubric.html", "", "is empty"),
        ("gold/rubric.j2", "", "is empty"),
        ("gold/rubric.j2", "{% for %}", "Expected"),
        ("questions/rubric.toml", "\n", "is empty"),
        ("layout/rubric.html", "http://example.org/layout.html", "must begin with a tag or a comment"),
        ("layout/rubric.html", "<p>\n{{{record.fields.item.a}}} $5</p>", "line 2: '$' is lost"),
        (
            "layout/rubric.html",
            "<p>Hello</p>",
            "it must use record.fields.item, as in {{{record.fields.item.question}}}",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_named(own: Path, name: str, text: str, what: str) -> None:
    path = write(own, name, text)
    with pytest.raises(InputError, match=re.escape(what)) as raised:
        read_form("rubric", [own], 5)
    assert str(raised.value).startswith(f"{path}: ")


def test_a_file_in_another_encoding_is_refused(own: Path) -> None:
    write(own, "guidelines/rubric.md", "x").write_bytes("größer".encode("latin-1"))
    with pytest.raises(InputError, match="not a UTF-8 text file"):
        read_form("rubric", [own], 5)


@pytest.mark.parametrize("round_", ROUNDS)
def test_a_layout_needs_nothing_from_elsewhere(round_: Round) -> None:
    layout = (SHIPPED / "layout" / f"{round_}.html").read_text(encoding="utf-8")
    assert not re.search(r"https?:|//[a-z]|url\(|@import|\bsrc=|\bhref=", layout)
    # Two braces would show the escapes; numbers and counts have none.
    assert set(re.findall(r"(?<!\{)\{\{([a-z.]+)\}\}", layout)) <= {"number", "posts.length"}


def test_the_layouts_look_alike() -> None:
    rules = {
        round_: set(
            re.findall(r"^  .*", (SHIPPED / "layout" / f"{round_}.html").read_text().split("</style>")[0], re.M)
        )
        for round_ in ROUNDS
    }
    assert rules["quality"] < rules["blind"] < rules["rubric"]
