"""A disk that is full at any moment: one line that says which file, nothing half-written, and the same command goes on.

The limit is one on the size of files (RLIMIT_FSIZE): it refuses what a full disk refuses, with another errno.
"""

from __future__ import annotations

import tempfile

import pytest

from prbgen.cli import main
from tests.faults.conftest import Bench
from tests.faults.process import on_a_full_disk


@pytest.mark.parametrize(
    ("command", "most"),
    # The first has no room for the beginning, the others have none for what is asked for and kept.
    [("evaluate", 10_000), ("evaluate", 70_000), ("bon sample", 70_000), ("generate", 70_000)],
)
def test_a_full_disk_is_one_line_and_the_same_command_goes_on(bench: Bench, command: str, most: int) -> None:
    ended = on_a_full_disk(most, *bench.words(command), warm=command == "generate")
    assert ended.returncode == 2
    *_, last = ended.stderr.splitlines()
    assert last.startswith(f"prbgen: {bench.out(command)}")
    assert "make room or mend" in last.lower()
    assert "Traceback" not in ended.stderr
    asked = bench.calls(command)

    assert main(bench.words(command)) == 0
    # Those that were in flight on a full disk may have found no room.
    again = [(call["digest"], call["sample"], call["text"]) for call in bench.calls(command)]
    assert len(again) - len(set(again)) <= 2
    assert len(again) > len(asked)
    assert not [file for file in bench.out(command).rglob("*") if file.suffix in (".partial", ".reserve")]


def test_a_full_folder_of_temporary_files_is_named(bench: Bench) -> None:
    ended = on_a_full_disk(70_000, *bench.words("generate"))
    assert ended.returncode == 2
    assert f"prbgen: {tempfile.gettempdir()}: cannot be written (File too large)" in ended.stderr
