"""Files that were made to take the machine down, or to lead out of their folder."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.evaluation.results import Results
from prbgen.sizes import LARGEST_WHOLE, LONGEST_ROW, MOST_ENTRIES
from prbgen.sources import read_pairs
from prbgen.sources.declared import _matches

# Reads pairs in a process of its own, and tells how it ended and the most memory that it had, in MiB.
READ = """
import re, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
from prbgen.errors import InputError
from prbgen.sources import parquet_rows, read_pairs
parquet_rows._DECODED = 1 << 28
try:
    list(read_pairs(sys.argv[1]))
except InputError as error:
    print(str(error).count("\\n"), error)
# Not ru_maxrss: that begins with what the process that started this one held.
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""
PAIR = {"id": "1", "question": "q", "chosen": "a", "rejected": "b"}
# What tests can wait for: so much more than a row may have.
LONG = LONGEST_ROW + (8 << 20)


def read(file: Path) -> tuple[str, int]:
    done = subprocess.run([sys.executable, "-c", READ, str(file)], capture_output=True, text=True, check=True)
    told, most = done.stdout.splitlines()
    return told, int(most)


@pytest.mark.parametrize("shape", ["{}\n", "[{}]"], ids=["lines", "array"])
def test_a_packed_row_that_inflates_is_refused_in_bounded_memory(shape: str, tmp_path: Path) -> None:
    before, after = shape.split("{}")
    file = tmp_path / ("rows.json" + ("l" if not before else "") + ".gz")
    with gzip.open(file, "wb", 1) as packed:
        packed.write(before.encode() + json.dumps(PAIR).encode()[:-1] + b', "narrative": "')
        for _ in range(2 * LONG >> 20):
            packed.write(b"a" * (1 << 20))
        packed.write(b'"}' + after.encode())
    assert file.stat().st_size < 2 << 20
    told, most = read(file)
    assert told.startswith(f"0 {file.name}:line 1: longer than 64 MiB")
    assert most < 1024


def test_a_packed_file_that_holds_absurdly_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prbgen.sources.packed.MOST_UNPACKED", 1 << 20)
    file = tmp_path / "rows.jsonl.gz"
    file.write_bytes(gzip.compress(json.dumps(PAIR).encode() + b"\n" * (8 << 20)))
    with pytest.raises(InputError, match="over 100 times what it weighs"):
        list(read_pairs(str(file)))


def test_a_parquet_file_that_repeats_one_long_text_in_a_row_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    count = 20_000
    one = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array(["x" * 500_000]))
    posts = pa.ListArray.from_arrays(
        pa.array([0, count], pa.int32()), pa.StructArray.from_arrays([one, one, one], names=["id", "text", "category"])
    )
    table = pa.table({**{name: [text] for name, text in PAIR.items()}, "profile": posts})
    file = tmp_path / "rows.parquet"
    pq.write_table(table, file, compression="zstd", store_schema=False)
    assert file.stat().st_size < 10_000  # it stands for 30 GB
    told, most = read(file)
    assert told.startswith("0 rows.parquet:row 1: longer than 64 MiB")
    assert most < 1024


def test_a_profile_of_absurdly_many_posts_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    post = {"id": "", "text": ""}
    file.write_text(json.dumps(PAIR | {"profile": [post] * (MOST_ENTRIES + 1)}) + "\n")
    with pytest.raises(InputError, match=r"rows.jsonl:line 1: profile: has 100,001 entries, at most 100,000"):
        list(read_pairs(str(file)))


@pytest.mark.parametrize(
    "text",
    ["[" * 500_000, '{"a":' * 500_000, json.dumps(PAIR)[:-1] + ', "n": ' + "9" * 5000 + "}"],
    ids=["lists", "objects", "digits"],
)
def test_nesting_and_numbers_without_end_are_one_line(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(text + "\n")
    with pytest.raises(InputError, match=r"rows.jsonl:line 1: broken JSON: (Nested too deeply|A number)") as raised:
        list(read_pairs(str(file)))
    assert "\n" not in str(raised.value)


def test_a_device_and_a_pipe_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "device.jsonl").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name in ("device.jsonl", "pipe.jsonl"):
        with pytest.raises(InputError, match="is no regular file"):
            list(read_pairs(str(tmp_path / name)))


def test_a_summary_of_absurd_size_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "summary.json").open("wb") as file:
        file.truncate(LARGEST_WHOLE + 1)
    with pytest.raises(InputError, match="larger than 256 MiB"):
        Results(tmp_path).summary()


def test_a_script_beside_the_data_never_runs(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "data.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    (folder / "pairs.jsonl").write_text(json.dumps(PAIR) + "\n")
    assert [pair.id for pair in read_pairs(str(folder))] == ["1"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "place",
    ["../outside.jsonl", "{parent}/outside.jsonl", "https://example.org/outside.jsonl", "hf://datasets/a/b.jsonl"],
)
def test_a_card_leads_to_no_file_outside_its_folder(place: str, tmp_path: Path) -> None:
    (tmp_path / "outside.jsonl").write_text(json.dumps(PAIR) + "\n")
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "inside.txt").touch()
    files = place.format(parent=tmp_path)
    (folder / "README.md").write_text(f"---\nconfigs:\n- config_name: default\n  data_files: {files}\n---\n")
    with pytest.raises(InputError, match="no file to read"):
        list(read_pairs(str(folder)))


def test_a_card_cannot_make_objects_of_python(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps(PAIR) + "\n")
    run = f"!!python/object/apply:os.mkdir ['{tmp_path / 'ran'}']"
    (tmp_path / "README.md").write_text(f"---\nconfigs: {run}\n---\n")
    with pytest.raises(InputError, match="no valid YAML"):
        list(read_pairs(str(tmp_path)))
    assert not (tmp_path / "ran").exists()


def test_no_pattern_takes_long() -> None:
    begun = time.monotonic()
    assert not _matches("a" * 250, "*a" * 100 + "b")
    assert not _matches("a/" * 100, "**/" * 80 + "b")
    assert time.monotonic() - begun < 2


@given(st.text("ab/", max_size=7), st.lists(st.sampled_from(["a", "b", "/", "*", "?", "**", "**/"]), max_size=6))
def test_a_pattern_fits_what_a_shell_would_find(name: str, pieces: list[str]) -> None:
    pattern = "".join(pieces)
    wild = {r"\*\*/": "(?:.*/)?", r"\*\*": ".*", r"\*": "[^/]*", r"\?": "[^/]"}
    regex = re.sub(r"\\\*\\\*/|\\\*\\\*|\\\*|\\\?", lambda found: wild[found[0]], re.escape(pattern))
    assert _matches(name, pattern) == bool(re.fullmatch(regex, name))
