from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.roster import name_key
from prbgen.annotation.sheets.names import among, file_name, owner_of, raters_in, refuse_ambiguous, refuse_names
from prbgen.errors import InputError
from tests.annotation.forms import campaign_of


@pytest.mark.parametrize("username", ["anna", "李", "Anna Bo", "a.b@c", "é", "console", "com", "anna-2", "x" * 120])
def test_a_username_that_every_system_takes_for_a_file_is_a_sheets_name(username: str) -> None:
    refuse_names([username])


@pytest.mark.parametrize(
    "username",
    [
        "", ".", "a/b", "..\\x", "CON", "nul.x", "com1", "a:b?", "end. ", "end.", " a", ".a", "~$x", "a\nb", "a\u00a0b",
        "e\u0301", "x" * 121, "é" * 61, "\ud800", "a\u200bb", "/",
    ],
)  # fmt: skip
def test_a_username_that_is_no_file_name_is_refused(username: str) -> None:
    with pytest.raises(InputError, match="makes no file name") as caught:
        refuse_names(["bo", username])
    assert "\n" not in str(caught.value)
    str(caught.value).encode()


@pytest.mark.parametrize("usernames", [["Anna", "anna"], ["ﬁ", "fi"], ["ß", "SS"], ["anna", "anna-2"], ["é-3", "É"]])
def test_usernames_that_make_one_file_name_are_refused(usernames: list[str]) -> None:
    with pytest.raises(InputError, match="change one of them"):
        refuse_names(usernames)


@pytest.mark.parametrize(("earlier", "username"), [("anna", "anna-2"), ("anna-12", "anna")])
def test_a_username_too_near_to_an_earlier_raters_is_refused(earlier: str, username: str) -> None:
    with pytest.raises(InputError, match=r'sheet of "anna" could have the name of one of "anna-\d+"'):
        refuse_ambiguous(["bo", username], {earlier}.__contains__)
    refuse_ambiguous(["bo", "bo-x", "rater-3"], {earlier, "bo", "rater-2"}.__contains__)


def test_numbered_usernames_are_no_collision() -> None:
    refuse_names(["rater-1", "rater-2", "rater-10"])


NAMES = st.lists(st.text(min_size=1, max_size=140) | st.text("aAß-1. ", min_size=1, max_size=5), max_size=4)


@given(NAMES, st.integers(1, 12))
def test_a_file_is_found_to_be_that_of_the_rater_whom_it_was_made_for(usernames: list[str], batch: int) -> None:
    try:
        refuse_names(usernames)
    except InputError:
        return
    find = among(usernames)
    for username in usernames:
        name = file_name(username, batch)
        assert len(name.encode()) < 200
        assert not set(name) & set('<>:"/\\|?*\n\0')
        assert owner_of(Path(name), find) == username
        assert owner_of(Path(name.upper()), find) in (username, None)
    assert owner_of(Path("somebody else entirely.csv"), find) is None


def test_a_name_in_another_case_or_normal_form_is_still_the_raters() -> None:
    find = among(["McDonald", "é"])
    assert owner_of(Path("MCDONALD-2.CSV"), find) == "McDonald"
    assert owner_of(Path("e\u0301-13.csv"), find) == "é"
    assert owner_of(Path("McDonald (1).csv"), find) is None


def test_raters_are_found_by_their_pseudonyms_alone(tmp_path: Path) -> None:
    campaign = campaign_of(raters=("p-anna", "p-bo", "p-rater-2", "p-é"))
    for name in ("ANNA-3.CSV", "bo.csv", "rater-2.csv", "e\u0301-2.csv", "eve.csv", ".anna.csv", "guidelines.md"):
        (tmp_path / name).touch()
    (tmp_path / "p-anna").mkdir()
    assert raters_in(tmp_path, campaign, lambda name: f"p-{name_key(name)}") == ["ANNA", "bo", "rater-2", "é"]
    with pytest.raises(InputError, match="No such file"):
        raters_in(tmp_path / "missing", campaign, str)
