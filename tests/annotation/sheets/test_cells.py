import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.sheets.cells import CellError, read_cell
from prbgen.annotation.sheets.columns import harmless
from tests.annotation.forms import CHOICE, COMMENT, form_of

MARK, UNKNOWN = form_of("rubric").asked[2], form_of("quality").asked[0]
COVERS = form_of("rubric").asked[0]


@pytest.mark.parametrize("cell", ["4", " 4 ", "4.0", "4,0", "4.00", "４", "٤", "४", "'4", "4\u00a0", "\ufeff4", "4."])
def test_a_mark_may_be_spelled_as_spreadsheets_and_keyboards_do(cell: str) -> None:
    assert read_cell(MARK, 5, cell) == 4


@pytest.mark.parametrize(
    "cell", ["0", "6", "4.5", "-4", "four", "4/5", "1e0", "44444444444", "½", "4 5", "#NAME?", "True"]
)
def test_what_is_not_on_the_scale_is_refused_with_the_scale(cell: str) -> None:
    with pytest.raises(CellError, match="1, 2, 3, 4, 5"):
        read_cell(MARK, 5, cell)


def test_cant_tell_is_on_the_scale_where_the_form_has_it() -> None:
    assert read_cell(UNKNOWN, 5, "0") == 0


@pytest.mark.parametrize(
    "cell", ["1;3", "1, 3", "1 3", "3;1", "1,3", "1;3;", "１；３", "1、3", "١؛٣", " 1 ; 3 ", "1\n3"]
)
def test_aspects_may_be_separated_in_many_ways(cell: str) -> None:
    assert read_cell(COVERS, 5, cell) == ["1", "3"]


@pytest.mark.parametrize(("cell", "value"), [("2", ["2"]), ("2.0", ["2"]), ("none", ["none"]), (" NONE", ["none"])])
def test_one_aspect_or_none(cell: str, value: list[str]) -> None:
    assert read_cell(COVERS, 5, cell) == value


@pytest.mark.parametrize(
    "cell", ["7", "0", "none;1", "1;1", "1,1", "1-3", "03.Jan", "1/3", "one", "1;;x", "1;1.5", ";"]
)
def test_other_aspects_are_refused(cell: str) -> None:
    with pytest.raises(CellError, match="numbers from 1 to 5 with ; between"):
        read_cell(COVERS, 5, cell)


def test_a_decimal_point_between_aspects_is_refused_as_such() -> None:
    with pytest.raises(CellError, match="decimal point"):
        read_cell(COVERS, 5, "1.3")


@pytest.mark.parametrize(
    ("cell", "value"), [("a", "A"), ("B ", "B"), ("Equal", "equal"), ("Equally good", "equal"), ("ｂ", "B")]
)
def test_a_choice_may_be_spelled_in_either_case(cell: str, value: str) -> None:
    assert read_cell(CHOICE, 5, cell) == value


def test_another_choice_is_refused_with_what_there_is() -> None:
    with pytest.raises(CellError, match=r"A, B, equal = equally good"):
        read_cell(CHOICE, 5, "AB")


def test_a_comment_is_kept_as_it_is_but_for_its_edges() -> None:
    assert read_cell(COMMENT, 5, " 4.0 and\r\n１ ") == "4.0 and\n１"


@pytest.mark.parametrize("cell", ["#NAME?", "caf\udce9"])
def test_a_comment_that_a_spreadsheet_has_spoiled_is_refused(cell: str) -> None:
    with pytest.raises(CellError, match="any text, but"):
        read_cell(COMMENT, 5, cell)


@pytest.mark.parametrize("cell", ["", "  ", "\u200b", "'", "\u3000"])
def test_an_empty_cell_is_no_answer(cell: str) -> None:
    assert [read_cell(asked, 5, cell) for asked in (MARK, COVERS, CHOICE, COMMENT)] == [None] * 4


@given(st.text(), st.integers(0, 9))
def test_any_cell_is_an_answer_or_refused(cell: str, aspects: int) -> None:
    for asked in (MARK, UNKNOWN, COVERS, CHOICE, COMMENT):
        try:
            value = read_cell(asked, aspects, cell)
        except CellError:
            continue
        if asked is COVERS and value is not None:
            assert isinstance(value, list)
            assert value == ["none"] or all(1 <= int(str(each)) <= aspects for each in value)


@given(st.text(alphabet="=+-@\t\r\n;＝ax\x00\ud800"))
def test_no_shown_text_begins_as_a_formula(text: str) -> None:
    shown = harmless(text)
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
    assert ";=" not in shown
    assert "\x00" not in shown
    shown.encode()


def test_a_text_that_no_cell_holds_is_cut_and_says_so() -> None:
    shown = harmless("x" * 40_000)
    assert len(shown) < 32_767
    assert shown.endswith("does not fit into a cell]")
