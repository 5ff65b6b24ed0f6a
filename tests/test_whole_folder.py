from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.whole_folder import replacing


def fill(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "file").write_text(text)


def read(folder: Path) -> str:
    return (folder / "file").read_text()


def test_the_new_folder_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    fill(tmp_path / "data", "old")
    with replacing(tmp_path / "data") as new:
        fill(new, "new")
        assert read(tmp_path / "data") == "old"
    assert read(tmp_path / "data") == "new"
    assert [place.name for place in tmp_path.iterdir()] == ["data"]


def test_a_first_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    with replacing(tmp_path / "a" / "b") as new:
        fill(new, "new")
        assert not (tmp_path / "a" / "b").exists()
    assert read(tmp_path / "a" / "b") == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_folder_and_nothing_else(tmp_path: Path, error: type[BaseException]) -> None:
    fill(tmp_path / "data", "old")

    def fail(new: Path) -> None:
        fill(new, "half")
        raise error

    with pytest.raises(error), replacing(tmp_path / "data") as new:
        fail(new)
    assert read(tmp_path / "data") == "old"
    assert [place.name for place in tmp_path.iterdir()] == ["data"]


def test_a_kill_between_the_two_renames_is_undone_by_the_next_call_even_if_that_fails(tmp_path: Path) -> None:
    fill(tmp_path / ".data.old", "old")
    fill(tmp_path / ".data.new", "new")
    with pytest.raises(ValueError, match="again"), replacing(tmp_path / "data"):
        raise ValueError("again")
    assert read(tmp_path / "data") == "old"
    assert [place.name for place in tmp_path.iterdir()] == ["data"]


def test_a_kill_before_the_old_folder_was_removed_is_tidied_up(tmp_path: Path) -> None:
    fill(tmp_path / ".data.old", "old")
    fill(tmp_path / "data", "new")
    with replacing(tmp_path / "data") as new:
        fill(new, "newer")
    assert read(tmp_path / "data") == "newer"
    assert [place.name for place in tmp_path.iterdir()] == ["data"]


def test_a_rename_that_fails_brings_the_old_folder_back(tmp_path: Path) -> None:
    fill(tmp_path / "data", "old")
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "data") as new:
        new.rmdir()
    assert read(tmp_path / "data") == "old"


def test_a_link_to_a_folder_elsewhere_stays_a_link(tmp_path: Path) -> None:
    fill(tmp_path / "disk" / "data", "old")
    (tmp_path / "data").symlink_to(tmp_path / "disk" / "data")
    with replacing(tmp_path / "data") as new:
        fill(new, "new")
    assert (tmp_path / "data").is_symlink()
    assert read(tmp_path / "disk" / "data") == "new"
