"""The owner's account: random, private, its password shown once."""

from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.annotation.embedded.account import account_of, forget_password, has_account
from prbgen.errors import InputError


def test_it_is_made_once_at_random_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert not has_account(tmp_path)
    account = account_of(tmp_path)
    other = account_of(tmp_path / "other")
    assert has_account(tmp_path)
    assert account_of(tmp_path) == account
    assert account.password
    assert other.password
    assert len(account.password) >= 12
    assert account.password != other.password
    assert account.api_key != other.api_key
    (file,) = (each for each in tmp_path.iterdir() if each.is_file())
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_password_that_was_shown_is_nowhere_on_disk(tmp_path: Path) -> None:
    account = account_of(tmp_path)
    assert account.password
    forget_password(tmp_path)
    (file,) = tmp_path.iterdir()
    assert account.password not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert account_of(tmp_path).password is None
    assert account_of(tmp_path).api_key == account.api_key


def test_neither_key_nor_password_is_in_what_an_error_or_a_log_would_show(tmp_path: Path) -> None:
    account = account_of(tmp_path)
    shown = repr(account) + account.hide_in(f"{account.password} and {account.api_key}")
    assert account.api_key not in shown
    assert str(account.password) not in shown


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": "owner"}', '{"name": 1, "api_key": "k", "password": null}'])
def test_a_file_that_was_damaged_is_one_line_and_stays(tmp_path: Path, text: str) -> None:
    account_of(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_text(text)
    with pytest.raises(InputError, match="not as it was written"):
        account_of(tmp_path)
    assert file.read_text() == text
