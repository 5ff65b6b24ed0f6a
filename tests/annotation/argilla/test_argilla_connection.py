"""Finding out who we are on which server, and what is said when that can't be found out."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from email.utils import formatdate

import httpx
import pytest

from prbgen.annotation.argilla.connection import Connection, connect
from prbgen.annotation.argilla.patience import Patience, RefusedError
from prbgen.errors import InputError, PrbgenError
from tests.annotation.argilla.faulty import Fault, Faulty, Slow
from tests.annotation.argilla.rounds import HASTY, new_name
from tests.annotation.server.embedded import API_KEY, Server


def fails(url: str, key: str = API_KEY, patience: Patience = HASTY) -> str:
    with pytest.raises(PrbgenError) as raised, connect(url, key, patience):
        pass
    said = str(raised.value)
    assert "\n" not in said
    assert key not in said
    return said


def test_says_who_and_where_we_are(server: Server, owner: Connection) -> None:
    assert (owner.url, owner.username, owner.role) == (server.url, "manager", "owner")
    assert owner.version.startswith("2.")
    assert API_KEY not in repr(owner)


def test_a_key_that_is_not_accepted_is_named_by_its_variable(server: Server) -> None:
    said = fails(server.url, "a-wrong-key-of-ours")
    assert said == f"the key is not accepted by {server.url}: ARGILLA_API_KEY"


@pytest.mark.parametrize("key", ["", "  ", "clé", "two\nlines"])
def test_what_can_be_no_key_is_not_sent(key: str) -> None:
    with pytest.raises(InputError, match="ARGILLA_API_KEY"), connect("http://localhost:6900", key):
        pass


@pytest.mark.parametrize(
    "url", ["", "localhost:6900", "ftp://host", "http://", "http://[::1", "http://host:port", "https://u:secret@"]
)
def test_what_is_no_address_is_said_without_a_request(url: str) -> None:
    said = fails(url)
    assert "ARGILLA_API_URL" in said
    assert "secret" not in said


def test_nobody_there_is_said_soon() -> None:
    began = time.monotonic()
    said = fails("http://127.0.0.1:9", patience=Patience())
    assert "could not be reached" in said
    assert "is the address right" in said
    assert time.monotonic() - began < 10


def test_a_password_in_the_address_is_used_but_never_shown(faulty: Faulty) -> None:
    address = faulty.url.replace("http://", "http://user:open-sesame@")
    with connect(address, API_KEY, HASTY) as connection:
        assert connection.url == faulty.url
    faulty.plan = lambda *_: Fault(status=500)
    assert "open-sesame" not in fails(address)


@pytest.mark.parametrize("version", ["1.29.1", "2.5.0", "3.0.0", "0.1"])
def test_another_version_is_refused_by_name(faulty: Faulty, version: str) -> None:
    faulty.plan = lambda *_: Fault(status=200, body=json.dumps({"version": version}).encode())
    said = fails(faulty.url)
    assert f"Argilla {version} runs there" in said


@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[]", b'{"version": 2}', b'{"version": "new"}'])
@pytest.mark.parametrize("status", [200, 404])
def test_something_else_than_argilla_is_said_to_be_so(faulty: Faulty, body: bytes, status: int) -> None:
    faulty.plan = lambda *_: Fault(status=status, body=body)
    assert "no Argilla" in fails(faulty.url)


def test_a_server_that_moved_is_not_followed_with_the_key(faulty: Faulty) -> None:
    faulty.plan = lambda *_: Fault(status=301, headers={"Location": "https://u:hidden@elsewhere.example/api?x=1"})
    said = fails(faulty.url)
    assert "has moved to https://elsewhere.example/api" in said
    assert "hidden" not in said
    assert len(faulty.requests) == 1


def test_an_annotator_cannot_lay_out_a_round(server: Server, owner: Connection) -> None:
    body = {"username": new_name(), "password": "a long password", "first_name": "R", "role": "annotator"}
    user = owner.call("POST", "users", json=body)
    assert "is an annotator" in fails(server.url, user["api_key"])


@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, None])
def test_a_bad_moment_is_outlasted(faulty: Faulty, status: int | None, lost: bool) -> None:
    with connect(faulty.url, API_KEY, HASTY) as connection:
        bad = len(faulty.requests)
        faulty.plan = lambda number, *_: Fault(lost=lost, status=status) if number < bad + 4 else None
        assert connection.call("GET", "me")["username"] == "manager"
        assert len(faulty.requests) == bad + 5


@pytest.mark.parametrize("status", [500, None])
def test_a_bad_time_is_said_after_five_attempts(faulty: Faulty, status: int | None) -> None:
    with connect(faulty.url, API_KEY, HASTY) as connection:
        faulty.plan = lambda *_: Fault(status=status)
        before = len(faulty.requests)
        with pytest.raises(PrbgenError) as raised:
            connection.call("GET", "me/workspaces")
        assert len(faulty.requests) == before + 5
        said = str(raised.value)
        assert "five times to GET /api/v1/me/workspaces; what is there stays, and the same command goes on" in said
        assert ("answered 500" in said) is (status == 500)


def test_the_sdk_is_as_patient_and_speaks_as_we_do(faulty: Faulty) -> None:
    with connect(faulty.url, API_KEY, HASTY) as connection:
        faulty.plan = lambda number, *_: Fault(status=500) if number % 2 else None
        assert connection.sdk.me.username == "manager"
        faulty.plan = lambda *_: Fault(status=503)
        with pytest.raises(PrbgenError, match="answered 503 five times to GET"):
            list(connection.sdk.workspaces)


@pytest.mark.parametrize("date", [False, True])
def test_the_server_says_how_long_to_wait(faulty: Faulty, date: bool) -> None:
    waits: list[float] = []
    with connect(faulty.url, API_KEY, Patience(sleep=waits.append)) as connection:
        bad = len(faulty.requests)
        headers = {"Retry-After": formatdate(time.time() + 30, usegmt=True) if date else "30"}
        faulty.plan = lambda number, *_: Fault(status=429, headers=headers) if number == bad else None
        connection.call("GET", "me")
    assert waits == [pytest.approx(30, abs=2)]


def test_waits_grow_and_are_bounded(faulty: Faulty) -> None:
    waits: list[float] = []
    patience = Patience(attempts=8, longest_wait=10, sleep=waits.append)
    with connect(faulty.url, API_KEY, patience) as connection:
        faulty.plan = lambda *_: Fault(status=429, headers={"Retry-After": "x" * 9})
        with pytest.raises(PrbgenError, match="8 times"):
            connection.call("GET", "me")
    assert len(waits) == 7
    assert waits[:3] == [pytest.approx(1.5, abs=0.6), pytest.approx(2.5, abs=0.6), pytest.approx(4.5, abs=0.6)]
    assert max(waits) <= 10


def test_a_slow_server_is_waited_for(faulty: Faulty) -> None:
    with connect(faulty.url, API_KEY, HASTY) as connection:
        faulty.plan = lambda *_: Slow(1.5)
        assert connection.call("GET", "me")["username"] == "manager"


def test_what_is_refused_for_good_is_asked_once_and_never_names_the_key(faulty: Faulty) -> None:
    with connect(faulty.url, API_KEY, HASTY) as connection:
        body = json.dumps({"detail": f"no\n {API_KEY}"}).encode()
        faulty.plan = lambda *_: Fault(status=422, body=body)
        before = len(faulty.requests)
        with pytest.raises(RefusedError) as raised:
            connection.call("GET", "me")
        assert raised.value.status == 422
        assert str(raised.value) == f"{faulty.url}: answered 422 to GET /api/v1/me: no [redacted]"
        assert len(faulty.requests) == before + 1


def test_a_connection_prints_nothing_and_needs_the_sdk_only_when_asked(server: Server) -> None:
    code = (
        "import sys\n"
        "from prbgen.annotation.argilla.connection import connect\n"
        "with connect(sys.argv[1], sys.stdin.read()) as connection:\n"
        "    assert 'argilla' not in sys.modules\n"
        "    connection.sdk.me\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, server.url], input=API_KEY, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


SPACE, TOKEN = "https://team-argilla.hf.space", "hf_a-token-of-the-tests"
Sent = list[tuple[str, str | None]]


@pytest.fixture
def sent(server: Server, monkeypatch: pytest.MonkeyPatch) -> Sent:
    """The host and the Authorization of each request; whatever its host, the real server gets it."""
    seen: Sent = []

    class Elsewhere(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            seen.append((request.url.host, request.headers.get("authorization")))
            there = httpx.URL(server.url)
            request.url = request.url.copy_with(scheme=there.scheme, host=there.host, port=there.port)
            return super().handle_request(request)

    monkeypatch.setattr(httpx, "HTTPTransport", Elsewhere)
    monkeypatch.setenv("HF_TOKEN", f"{TOKEN}\n")
    return seen


def test_a_private_space_is_opened_by_its_token_for_us_and_the_sdk(sent: Sent) -> None:
    with connect(SPACE, API_KEY, HASTY) as connection:
        assert TOKEN not in repr(connection)
        ours = len(sent)
        assert connection.sdk.me.username == "manager"
        assert len(sent) > ours > 0
    assert set(sent) == {("team-argilla.hf.space", f"Bearer {TOKEN}")}


@pytest.mark.parametrize(
    "url",
    [
        "http://team-argilla.hf.space",
        "https://hf.space",
        "https://nothf.space",
        "https://team-argilla.hf.space.example.org",
        "https://argilla.example.org",
    ],
)
def test_the_token_goes_nowhere_else_nor_in_the_clear(sent: Sent, url: str) -> None:
    with connect(url, API_KEY, HASTY) as connection:
        assert connection.sdk.me.username == "manager"
    assert {authorization for _, authorization in sent} == {None}


def test_a_space_that_repeats_the_token_does_not_get_it_shown(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect(SPACE, API_KEY, HASTY) as connection:
        for before in ("", "x" * 290):
            body = json.dumps({"detail": f"{before} {TOKEN} {API_KEY}"}).encode()
            monkeypatch.setattr(
                httpx.HTTPTransport, "handle_request", lambda *_, body=body: httpx.Response(422, content=body)
            )
            with pytest.raises(RefusedError) as raised:
                connection.call("GET", "me")
            assert "[redacted" in str(raised.value)
            assert TOKEN[:5] not in str(raised.value)


def test_a_space_that_does_not_open_has_its_token_asked_for(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda *_: httpx.Response(404, content=b"Sorry"))
    assert fails(SPACE).endswith("check ARGILLA_API_URL, and HF_TOKEN if it is a private Space")


@pytest.mark.parametrize("token", ["hf_clé", "hf_two\nlines"])
def test_what_can_be_no_token_is_not_sent(sent: Sent, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    said = fails(SPACE)
    assert said.startswith("HF_TOKEN: is no token")
    assert token not in said
    assert sent == []
