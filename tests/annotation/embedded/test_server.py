"""Starting and ending a server that is a process of its own."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from prbgen.annotation.embedded.account import Account, account_of
from prbgen.annotation.embedded.home import Home
from prbgen.annotation.embedded.server import Program, ended, serving
from prbgen.errors import PrbgenError
from prbgen.local_address import Address, free_address
from tests.annotation.embedded.stand_in import ask, until, write_stand_in
from tests.processes import start_python

_SERVES = """
import sys, time
from pathlib import Path
from prbgen.annotation.embedded.account import account_of
from prbgen.local_address import free_address
from prbgen.annotation.embedded.home import Home
from prbgen.annotation.embedded.server import Program, serving

code, home = Path(sys.argv[1]), Home(Path(sys.argv[2]))
address = free_address("127.0.0.1", 0)
with home.kept(), serving(Program(Path(sys.executable), code), home, address, account_of(home.folder)):
    print(address.url, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(Path(sys.executable), write_stand_in(tmp_path / "code"))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "home")
    with home.kept():
        yield home


@pytest.fixture
def account(home: Home) -> Account:
    return account_of(home.folder)


@pytest.fixture
def address() -> Address:
    return free_address("127.0.0.1", 0)


def test_it_answers_within_the_block_and_is_gone_after_it(
    program: Program, home: Home, address: Address, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ARGILLA_DATABASE_URL", "UVICORN_WORKERS", "PYTHONSTARTUP"):
        monkeypatch.setenv(name, "of another server")
    with serving(program, home, address, account):
        told = ask(address.url)
        assert told is not None
        assert told["home"] == str(home.folder)
        environment = told["environment"]
        assert environment["EMBEDDED_ARGILLA_USERNAME"] == "owner"
        assert environment["EMBEDDED_ARGILLA_API_KEY"] == account.api_key
        assert environment["EMBEDDED_ARGILLA_PASSWORD"] == account.password
        assert "of another server" not in environment.values()
    assert ask(address.url) is None
    assert home.log.read_text() == f"loading\nready {address.url}\n"


def test_without_a_first_password_nothing_secret_is_passed_on(program: Program, home: Home, address: Address) -> None:
    with serving(program, home, address, Account("owner", "key", None)):
        told = ask(address.url)
        assert told is not None
        assert not [name for name in told["environment"] if name.startswith("EMBEDDED_ARGILLA_")]


@pytest.mark.parametrize(
    ("number", "what"),
    [
        (signal.SIGKILL, ""),
        (signal.SIGKILL, "is deaf"),
        (signal.SIGTERM, ""),
        (signal.SIGINT, ""),
        (signal.SIGHUP, "is deaf"),
    ],
)
def test_it_is_gone_with_the_process_that_started_it(
    tmp_path: Path, number: signal.Signals, what: str, program: Program
) -> None:
    process = start_python(_SERVES, str(program.code), str(tmp_path / "home"), STAND_IN=what)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert ask(url)
    process.send_signal(number)
    process.wait()
    process.stdout.close()
    until(lambda: ask(url) is None, seconds=10)


def test_one_that_does_not_listen_is_killed_after_its_grace(
    program: Program, home: Home, address: Address, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN", "is deaf")
    monkeypatch.setattr("prbgen.annotation.embedded.child._GRACE", 0.3)
    with serving(program, home, address, account) as process:
        assert ask(address.url)
    assert process.returncode == -signal.SIGKILL


def test_one_that_dies_while_starting_is_one_line_with_its_last_words_and_no_secret(
    program: Program, home: Home, address: Address, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN", "dies")
    with pytest.raises(PrbgenError) as caught, serving(program, home, address, account):
        pass
    said = str(caught.value)
    assert "ended with code 3: loading | it broke | key [redacted] (all of it: " in said
    assert str(home.log) in said
    assert "\n" not in said


def test_one_that_never_gets_ready_is_ended(
    program: Program, home: Home, address: Address, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN", "hangs")
    start = time.monotonic()
    with (
        pytest.raises(PrbgenError, match="did not get ready in time: loading"),
        serving(program, home, address, account, patience=1),
    ):
        pass
    assert time.monotonic() - start < 10


def test_one_that_ends_later_says_why(program: Program, home: Home, address: Address, account: Account) -> None:
    with serving(program, home, address, account) as process:
        process.kill()
        process.wait()
        assert f"ended with code -9: loading | ready {address.url}" in str(ended(process, home, account))


def test_a_port_that_was_taken_meanwhile_is_in_its_last_words(
    program: Program, home: Home, address: Address, account: Account
) -> None:
    with (
        serving(program, home, address, account),
        pytest.raises(PrbgenError, match="Address already in use"),
        serving(program, home, address, account),
    ):
        pass
