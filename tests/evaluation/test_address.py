"""Addresses of servers: what is one, and that a key in one is never repeated."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.evaluation.address import reward_server, server_address, shown

SECRET = st.text("abcdefghijklmnop0123456789-_!$", min_size=8)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("http://localhost:8000", "http://localhost:8000"),
        ("https://host.org/a/path@1/", "https://host.org/a/path@1"),
        ("http://[::1]:80/score", "http://[::1]:80/score"),
    ],
)
def test_an_address_comes_without_its_end_slash(text: str, address: str) -> None:
    assert server_address(text, "--api-base") == address


def test_a_reward_server_may_stand_without_its_scheme() -> None:
    assert reward_server("//host/score") == reward_server("http://host/score") == "http://host/score"


@given(SECRET, st.sampled_from(["http:", "https:", "ftp:", "", "http"]), st.sampled_from(["host", "", "host:x", "h h"]))
def test_a_key_in_an_address_is_refused_and_never_repeated(secret: str, scheme: str, host: str) -> None:
    assume(secret not in "such as http://localhost:8000")
    for text in (f"//me:{secret}@{host}/score", f"//{secret}@{host}", f"//{host}/s?key={secret}", f"//{host}#{secret}"):
        for taken in (reward_server, lambda text: server_address(text, "--api-base")):
            with pytest.raises(InputError) as raised:
                taken(scheme + text)
            assert secret not in str(raised.value)
        assert secret not in shown(scheme + text)


def test_what_holds_no_key_is_shown() -> None:
    assert shown("openai/gpt-4o") == "openai/gpt-4o"
