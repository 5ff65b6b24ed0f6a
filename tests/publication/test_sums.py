from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from prbgen.errors import PrbgenError
from prbgen.publication.stage import stage
from prbgen.publication.sums import SUMS, check_sums, read_sums, write_sums
from prbgen.recipe import PublicationSettings
from prbgen.schema import Pair
from tests.publication.reports import build_validation


def test_every_file_of_a_dataset_but_this_one_is_in_it_and_sums_hold(
    varied_pairs: list[Pair], write_pairs: Callable[[Iterable[Pair]], Path]
) -> None:
    path, folder = write_pairs(varied_pairs), write_pairs(varied_pairs).parent / "dataset"
    stage(path, folder, validation=build_validation(varied_pairs), publication=PublicationSettings(authors=("A",)))
    lines = [line.split("  ", 1) for line in (folder / SUMS).read_text().splitlines()]
    files = [each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()]
    assert [name for _, name in lines] == sorted(set(files) - {SUMS})
    assert {"README.md", "CITATION.cff", "ratings/ratings.parquet", "plots/words.png"} < {name for _, name in lines}
    for digest, name in lines:
        assert digest == hashlib.sha256((folder / name).read_bytes()).hexdigest()


def test_names_in_any_alphabet_and_with_spaces_are_read_back(tmp_path: Path) -> None:
    names = ["Küche & Garten/a b.txt", "日本/x", "a"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    write_sums(tmp_path)
    write_sums(tmp_path)  # its own file is no part of it
    assert list(read_sums(tmp_path)) == sorted(names)
    check_sums(tmp_path)


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """A folder with its SHA256SUMS."""
    files = {"README.md": b"card", "data/A & B/test.parquet": b"rows", ".hidden": b""}
    lines = []
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
        lines.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
    (tmp_path / "SHA256SUMS").write_text("".join(lines))
    return tmp_path


def test_files_as_listed_are_fine(listed: Path) -> None:
    check_sums(listed)
    assert set(read_sums(listed)) == {"README.md", "data/A & B/test.parquet", ".hidden"}


def changed(folder: Path) -> None:
    (folder / "data/A & B/test.parquet").write_bytes(b"rowz")


def added(folder: Path) -> None:
    (folder / "data/more.parquet").write_bytes(b"")


def removed(folder: Path) -> None:
    (folder / ".hidden").unlink()


def garbled(folder: Path) -> None:
    (folder / "SHA256SUMS").write_text("README.md\n")


def unlisted(folder: Path) -> None:
    (folder / "SHA256SUMS").unlink()


def doubled(folder: Path) -> None:
    sums = folder / "SHA256SUMS"
    sums.write_text(sums.read_text() * 2)


def binary(folder: Path) -> None:
    (folder / "SHA256SUMS").write_bytes(b"\xff")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (changed, r"data/A & B/test\.parquet has another hash"),
        (added, r"data/more\.parquet is not listed"),
        (removed, r"\.hidden is listed, but there is no such file"),
        (unlisted, "SHA256SUMS: No such file"),
        (garbled, "line 1 is no hash"),
        (doubled, "line 4 is no hash and file name, or the file comes twice"),
        (binary, "cannot be read"),
    ],
)
def test_what_differs_is_named(listed: Path, change: Callable[[Path], None], fault: str) -> None:
    change(listed)
    with pytest.raises(PrbgenError, match=fault):
        check_sums(listed)
