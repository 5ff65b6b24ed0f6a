from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.personal_data.patterns import has_address, has_email, has_phone

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


@given(
    st.text(),
    st.sampled_from([(has_email, "jane.doe@gmail.com"), (has_phone, "(212) 664-7665"), (has_address, "P.O. Box 1234")]),
    st.text(),
)
def test_whatever_stands_around_it_on_other_lines_it_is_found(
    before: str, known: tuple[Callable[[str], bool], str], after: str
) -> None:
    found, text = known
    assert found(f"{before}\n\n{text}\n\n{after}")


@pytest.mark.parametrize("piece", ["1 ", "9", "a@", "a.", "12 Aa ", "+1", "(0", "020 ", "call me ", "tel ", "str. 1 "])
def test_the_time_grows_no_faster_than_the_text(piece: str) -> None:
    """A pattern that tries again from each place takes minutes here."""
    text = piece * (50_000 // len(piece))
    start = time.process_time()
    for found in (has_email, has_phone, has_address):
        found(text)
    assert time.process_time() - start < 20
