"""The folder of an embedded server."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from filelock import FileLock

from prbgen.annotation.embedded.account import account_of
from prbgen.annotation.embedded.home import Home
from prbgen.errors import InputError


def test_it_is_made_for_its_owner_alone_and_used_again(tmp_path: Path) -> None:
    home = Home(tmp_path / "run" / "annotation" / "server")
    for _ in range(2):
        with home.kept():
            assert home.folder.stat().st_mode & 0o777 == 0o700
            home.log.touch()


def test_an_empty_folder_is_taken_and_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o755)
    with Home(folder).kept():
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    mode = tmp_path.stat().st_mode
    with pytest.raises(InputError, match="neither empty nor the home"), Home(tmp_path).kept():
        pass
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]
    assert tmp_path.stat().st_mode == mode


def test_a_home_that_was_copied_without_its_lock_is_known_by_its_account(tmp_path: Path) -> None:
    account_of(tmp_path)
    with Home(tmp_path).kept():
        pass


def test_one_process_at_a_time_serves_from_it(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with home.kept(), pytest.raises(InputError, match=r"home: pid \d+ on .* serves from this folder"), home.kept():
        pass
    with home.kept():
        pass


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "home"):
        with pytest.raises(InputError, match="cannot be used"), Home(folder).kept():
            pass


def test_the_server_that_runs_is_found_and_one_that_ended_or_was_killed_is_not(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert home.running() is None
    with home.kept():
        assert home.running() is None
        with home.announced("http://localhost:1"):
            assert Home(home.folder).running() == "http://localhost:1"
        assert home.running() is None
    (home.folder / "server.url").write_text("http://localhost:1")  # as a killed one leaves it
    assert home.running() is None


def test_the_address_that_a_killed_server_left_is_not_taken_for_the_next_ones(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with home.kept():
        pass
    (home.folder / "server.url").write_text("http://localhost:1")
    with home.kept():
        assert home.running() is None


def test_a_server_that_ends_or_begins_while_it_is_looked_for_runs_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / "home")
    address = home.folder / "server.url"
    with home.kept():
        address.touch()  # opened, not yet written
        assert home.running() is None
        exists = Path.exists

        def seen_and_gone(path: Path) -> bool:
            there = exists(path)
            if path == address:
                path.unlink(missing_ok=True)
            return there

        monkeypatch.setattr(Path, "exists", seen_and_gone)
        address.write_text("http://localhost:1")
        assert home.running() is None
        assert not exists(address)


def test_somebody_who_looks_for_an_instant_whether_it_runs_does_not_keep_it_from_beginning(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with home.kept():
        pass
    held = threading.Event()

    def look() -> None:
        with FileLock(home.folder / "server.lock"):
            held.set()
            time.sleep(0.1)

    thread = threading.Thread(target=look)
    thread.start()
    held.wait()
    with home.kept():
        pass
    thread.join()
