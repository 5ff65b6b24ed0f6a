from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from prbgen.publication.hub.files import There, changes, files_in, fingerprint
from tests.hub.repo import File

Contents = dict[str, bytes]
contents = st.dictionaries(st.sampled_from(["a", "b/c", "b/d", "e.parquet"]), st.binary(max_size=3), min_size=1)


def write(folder: Path, files: Contents) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def there(files: Contents) -> dict[str, There]:
    kept = {name: File(content, lfs=name.endswith(".parquet")) for name, content in files.items()}
    return {name: There(len(f.content), f.blob, f.sha256 if f.lfs else None) for name, f in kept.items()}


def test_hashes_are_those_of_git(tmp_path: Path) -> None:
    [file] = files_in(write(tmp_path, {"hello": b"hello\n"}))
    # `echo hello | git hash-object --stdin`, and `echo hello | sha256sum`.
    assert file.blob == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert file.sha256 == "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"


@given(contents, contents)
def test_changes_make_one_into_the_other(here: Contents, before: Contents) -> None:
    with TemporaryDirectory() as folder:
        files = files_in(write(Path(folder), here))
        found = changes(files, there(before) | {".gitattributes": There(1, "0" * 40, None)})
        after = before | {file.name: file.path.read_bytes() for file in found.send}
        assert {name: content for name, content in after.items() if name not in found.delete} == here
        assert all(before.get(file.name) != here[file.name] for file in found.send)
        assert bool(found) == (here != before)


@given(contents, contents)
def test_fingerprints_differ_where_files_do(one: Contents, other: Contents) -> None:
    with TemporaryDirectory() as left, TemporaryDirectory() as right:
        same = fingerprint(files_in(write(Path(left), one))) == fingerprint(files_in(write(Path(right), other)))
    assert same == (one == other)


def test_hidden_files_stay_here(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a": b"", ".DS_Store": b"x", ".cache/b": b"y"})
    assert [file.name for file in files_in(folder)] == ["a"]
