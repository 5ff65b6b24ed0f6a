from __future__ import annotations

import errno
import multiprocessing
import os
import secrets
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.pseudonyms import Pseudonyms, key_file, pseudonyms
from prbgen.annotation.roster import name_key
from prbgen.errors import InputError


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRBGEN_RATERS_KEY", str(tmp_path / "keys" / "raters.key"))
    return key_file()


@given(st.text(max_size=20), st.text(max_size=20), st.binary(min_size=32, max_size=32))
def test_names_differ_by_user_by_run_and_by_key(one: str, other: str, key: bytes) -> None:
    made = Pseudonyms(key, "a run")
    assert (made(one) == made(other)) == (name_key(one) == name_key(other))
    assert made(one) == made(one.upper()) or name_key(one) != name_key(one.upper())
    assert made(one) != Pseudonyms(key, "another run")(one)
    assert made(one) != Pseudonyms(bytes(32 - 1) + b"\x01", "a run")(one) or key == bytes(31) + b"\x01"
    assert len(one) < 4 or one not in made(one)


def test_the_key_is_made_once_and_for_its_owner_alone(file: Path) -> None:
    first = pseudonyms("salt", None)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = pseudonyms("salt", first.check)
    assert again("ada") == first("ada")
    assert list(file.parent.iterdir()) == [file]


def test_another_key_is_refused_before_it_makes_new_people_of_the_raters(file: Path) -> None:
    check = pseudonyms("salt", None).check
    file.write_text("ab" * 32)
    with pytest.raises(InputError, match="not the key that this round began with"):
        pseudonyms("salt", check)


def test_a_lost_key_is_never_made_anew(file: Path) -> None:
    with pytest.raises(InputError, match="Copy the key"):
        pseudonyms("salt", "0123abcd")
    assert not file.exists()


def test_many_at_once_agree_on_the_key_of_the_first(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    barrier = threading.Barrier(8, timeout=30)
    make = secrets.token_bytes

    def together(number: int) -> bytes:
        barrier.wait()  # each has seen that there is no key
        return make(number)

    monkeypatch.setattr(secrets, "token_bytes", together)
    checks: list[str] = []
    threads = [threading.Thread(target=lambda: checks.append(pseudonyms("salt", None).check)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert checks == [Pseudonyms(bytes.fromhex(file.read_text()), "salt").check] * 8
    assert list(file.parent.iterdir()) == [file]


def test_a_key_that_came_after_the_look_for_one_is_not_replaced(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quicker = pseudonyms("salt", None).check
    monkeypatch.setattr(Path, "exists", lambda _: False)  # what a look before that said
    assert pseudonyms("salt", None).check == quicker


def _check(barrier: threading.Barrier) -> str:
    barrier.wait()
    return pseudonyms("salt", None).check


def test_processes_agree_on_the_key(file: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    with spawn.Manager() as manager, spawn.Pool(3) as pool:
        checks = pool.map(_check, [manager.Barrier(3, timeout=60)] * 3, chunksize=1)
    assert checks == [pseudonyms("salt", None).check] * 3


def test_a_file_system_without_links_holds_a_key_too(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)
    first = pseudonyms("salt", None)
    assert pseudonyms("salt", first.check).check == first.check
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("text", ["", "no hex", "abcd"])
def test_a_damaged_key_is_refused(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(InputError, match="not a raters' key"):
        pseudonyms("salt", None)
