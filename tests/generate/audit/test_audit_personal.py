from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generate.audit.patterns import has_address, has_email, has_phone
from prbgen.generate.audit.personal import PersonalData
from prbgen.generate.audit.results import Personal
from prbgen.schema import Post, PreferencePair

EMAILS = [
    "Write to jane.doe@gmail.com if you want the pattern.",
    "<bob@mail.uni-koeln.de>",
    "mailto:j_smith+lists@web.co.uk.",
    "(me: k9@proton.me)",
    "k9@proton.me: write at any time",
    "first @user, then anna@posteo.de",
]
NO_EMAILS = [
    "@app.route('/') is a decorator",
    "    @functools.lru_cache(maxsize=None)",
    "ask @jane_doe about it",
    "follow @jane@mastodon.social",
    "user@example.com, root@localhost, a@b.example, c@d.test",
    "git clone git@github.com:someone/thing.git",
    "scp file me@build.host.org:~/file",
    "icon@2x.png",
    "lodash@4.17.21",
    "\\makeatletter \\@ifnextchar",
    "foo\\@bar.baz",
    "5 apples @ 3.99",
    "https://medium.com/@someone/post",
    "ssh me@192.168.0.1",
    "tweet me @ noon.today",
]
PHONES = [
    "Call (212) 664-7665 today",
    "212-664-7665",
    "212.664.7665.",
    "1-212-664-7665",
    "+1 212 664 7665",
    "in 2019 212-664-7665 was my number",
    "+44 20 7946 1234",
    "+33 1 42 68 53 00",
    "+4915112345678",
    "020 7946 1234",
    "07700 912345",
    "(0171) 123-4567",
    "Tel: 664 7665",
    "my cell is 2126647665",
    "call me at 664-7665",
    "手机 13812345678",
]
NO_PHONES = [
    "bake for 2 cups at 350-400 degrees, 2019-10-12, serves 10-12",
    "ISBN 978-0-306-40615-7",
    "ISBN 0-306-40615-2, ISBN-10 0306406152",
    "ISBN: 9780306406157",
    "doi:10.1145/2783258.2783417 and https://doi.org/10.1000/182",
    "192.168.100.200 and 10.0.0.1:8080",
    "2019-10-12T10:11:12",
    "12.10.2019 - 14.10.2019",
    "from 1914-1918 to 1939-1945",
    "$1,000,000 or 10,000,000 people",
    "+10 000 000 points",
    "unix time 1571234567890",
    "https://stackexchange.com/questions/1234567/12345678",
    "call 1-800-664-7665 toll-free",
    "212-555-0123 is from a film",
    "pi is 3.14159265358979",
    "phone released 2019-10-12",
    "my phone, 1999-2005",
    "3 x 4 = 12, 12 x 12 = 144, 100 200 300 400",
    "1 2 3 4 5 6 7 8 9 10 11 12",
    "Part 7-345-2345-12-999",
    "0.123 456 789",
    "iPhone 2007 2008 2009",
    "Symphony No. 40, K. 550, 1788 (1791)",
]
ADDRESSES = [
    "I live at 22 Elm Street and the noise is bad",
    "My address is 1600 Pennsylvania Avenue",
    "742 Evergreen Terrace, Springfield, OR 97403",
    "10 Downing Street, London SW1A 2AA",
    "15 W. 34th Street Apt 4B",
    "Hauptstraße 12, 10115 Berlin",
    "Goethestr. 7a, D-80336 München",
    "send it to P.O. Box 1234",
]
NO_ADDRESSES = [
    "21 Jump Street is a film; so is 10 Cloverfield Lane",
    "In 1987 Wall Street crashed",
    "I have 3 Google Drive accounts and 2 USB Drive sticks",
    "the 1 Way to do it",
    "9/11 Wall Street",
    "I live at home near Main Street",
    "Chapter 12 The Road, 10115 pages",
    "It costs 5 Big Court Fees",
    "50 Ways to Leave, Paul Simon",
]


@pytest.mark.parametrize("text", EMAILS)
def test_an_email_address_is_found(text: str) -> None:
    assert has_email(text)


@pytest.mark.parametrize("text", NO_EMAILS + PHONES + ADDRESSES)
def test_what_only_has_an_at_sign_is_no_email_address(text: str) -> None:
    assert not has_email(text)


@pytest.mark.parametrize("text", PHONES)
def test_a_phone_number_is_found(text: str) -> None:
    assert has_phone(text)


@pytest.mark.parametrize("text", NO_PHONES + EMAILS + ADDRESSES)
def test_another_number_is_no_phone_number(text: str) -> None:
    assert not has_phone(text)


@pytest.mark.parametrize("text", ADDRESSES)
def test_a_street_address_is_found(text: str) -> None:
    assert has_address(text)


@pytest.mark.parametrize("text", NO_ADDRESSES + EMAILS + PHONES)
def test_a_street_without_a_sign_that_it_is_somebodys_is_no_address(text: str) -> None:
    assert not has_address(text)


@given(st.text(), st.text(alphabet=" .-()+@/0123456789aSt#,", max_size=200))
def test_any_text_is_looked_through(anything: str, digits: str) -> None:
    for text in (anything, digits, digits + anything):
        assert {has_email(text), has_phone(text), has_address(text)} <= {True, False}


@pytest.mark.parametrize("piece", ["1 ", "9", "a@", "a.", "12 Aa ", "+1", "(0", "020 ", "call me ", "tel ", "str. 1 "])
def test_the_time_grows_no_faster_than_the_text(piece: str) -> None:
    """A pattern that tries again from each place takes minutes here."""
    text = piece * (50_000 // len(piece))
    has_email(text), has_phone(text), has_address(text)


def row(number: str, profile: tuple[str, ...] | None = None, **texts: Any) -> PreferencePair:
    posts = None if profile is None else tuple(Post(category=None, id=str(n), text=t) for n, t in enumerate(profile))
    given: dict[str, Any] = {"question": "Why?", "chosen": "So.", "rejected": "No.", "narrative": None, **texts}
    rest: dict[str, Any] = {"pair_id": None, "rubric_aspects": None, "category": None, "subset": "", "split": "test"}
    return PreferencePair(id=number, profile=posts, user_key=number, **given, **rest)


def found(*rows: PreferencePair) -> tuple[Personal, ...]:
    looked = PersonalData()
    for each in rows:
        looked.add(each)
    return looked.found()


def test_rows_are_counted_by_kind_and_column() -> None:
    assert found(
        row("a", question=EMAILS[0], narrative=PHONES[0]),
        row("b", chosen=EMAILS[1] + PHONES[1], rejected=ADDRESSES[0]),
        row("c", question=EMAILS[2] + EMAILS[3], profile=(EMAILS[0], "fine", EMAILS[1])),
    ) == (
        Personal("e-mail", "question", 2, ("a", "c")),
        Personal("e-mail", "chosen", 1, ("b",)),
        Personal("e-mail", "profile", 1, ("c",)),
        Personal("phone", "chosen", 1, ("b",)),
        Personal("phone", "narrative", 1, ("a",)),
        Personal("address", "rejected", 1, ("b",)),
    )


def test_a_post_that_comes_again_counts_in_each_of_its_rows() -> None:
    profile = (PHONES[0], "nothing here")
    assert found(row("a", profile), row("b", profile), row("c", profile[1:]), row("d", ()), row("e")) == (
        Personal("phone", "profile", 2, ("a", "b")),
    )


def test_five_ids_are_named_each_once_and_no_text_is() -> None:
    rows = [row(f"id{number // 2}", question=EMAILS[0]) for number in range(20)]
    assert found(*rows) == (Personal("e-mail", "question", 20, ("id0", "id1", "id2", "id3", "id4")),)
    assert "jane" not in repr(found(*rows))
