"""The environment of Argilla's server: made once, whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.embedded.environment import _reason, environment
from prbgen.errors import InputError, PrbgenError
from tests.annotation.embedded.stand_in import until
from tests.processes import start_python

_MAKES = """
import sys
from pathlib import Path
from prbgen.annotation.embedded.environment import environment
print(environment(Path(sys.argv[1]), lambda text: print(text, flush=True)))
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRBGEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "argilla"


@pytest.fixture
def asked(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a requirements file that looks for packages in a folder of ours alone; tea 1.0 is there."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    info = "tea-1.0.dist-info"
    with zipfile.ZipFile(shelf / "tea-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tea.py", "KIND = 'green'")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tea\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")

    def write(requirement: str) -> Path:
        file = tmp_path / "requirements.txt"
        file.write_text(f"--no-index\n--find-links {shelf}\n{requirement}\n")
        return file

    return write


def said(python: Path, code: str) -> str:
    return subprocess.check_output([str(python), "-c", code], text=True).strip()


def test_it_is_made_on_first_use_then_found_and_another_text_is_another_one(
    cache: Path, asked: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    # Neither what is installed here nor what the user's Python looks at gets in.
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    python = environment(asked("tea==1.0"), lines.append)
    assert python.is_relative_to(cache)
    assert said(python, "import tea; print(tea.KIND)") == "green"
    assert said(python, "import importlib.util as u; print(u.find_spec('pytest'))") == "None"
    assert lines[0].startswith("making the environment")
    assert "installing 1 packages" in lines
    assert lines[-1].startswith("made after")
    lines.clear()
    assert environment(asked("tea==1.0"), lines.append) == python
    assert lines == []
    with pytest.raises(PrbgenError, match=r"No matching distribution found for tea==2\.0"):
        environment(asked("tea==2.0"), lines.append)
    assert python.exists()
    assert len([folder for folder in cache.iterdir() if folder.is_dir()]) == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_one_that_was_interrupted_is_made_anew(
    cache: Path, asked: Callable[[str], Path], number: signal.Signals
) -> None:
    file = asked("tea==1.0")
    process = start_python(_MAKES, str(file))
    until(lambda: [*cache.glob("*/pyvenv.cfg")])
    process.send_signal(number)
    process.wait()
    assert not [*cache.glob("*/finished")]
    (folder,) = cache.glob("*/")
    (folder / "left over").touch()
    python = environment(file, lambda _: None)
    assert said(python, "import tea; print(tea.KIND)") == "green"
    assert not (folder / "left over").exists()


def test_of_two_processes_one_makes_it_and_the_other_waits(cache: Path, asked: Callable[[str], Path]) -> None:
    file = asked("tea==1.0")
    processes = [start_python(_MAKES, str(file)) for _ in range(2)]
    printed = [process.communicate()[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert printed[0][-1] == printed[1][-1]
    assert sorted(lines[0].split()[0] for lines in printed) == ["making", "waiting"]
    assert said(Path(printed[0][-1]), "import tea; print(tea.KIND)") == "green"


def test_without_a_network_it_says_so_and_leaves_nothing(cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("--index-url http://127.0.0.1:9/simple\ntea\n")
    with pytest.raises(PrbgenError, match="is there a network") as caught:
        environment(file, lambda _: None)
    assert "\n" not in str(caught.value)
    assert "ARGILLA_API_URL" in str(caught.value)
    assert not [*cache.glob("*/")]


def test_a_missing_file_and_a_folder_that_cannot_be_written_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"nowhere.txt: No such file"):
        environment(tmp_path / "nowhere.txt", print)
    (tmp_path / "file").touch()
    monkeypatch.setenv("PRBGEN_CACHE", str(tmp_path / "file"))
    with pytest.raises(PrbgenError, match=r"Not a directory.*PRBGEN_CACHE names another folder"):
        environment(tmp_path / "file", print)


def test_the_reason_of_a_failure_is_the_one_that_helps() -> None:
    full = ["Installing collected packages: tea", f"ERROR: Could not install: [Errno 28] {os.strerror(28)}: '/x'", ""]
    assert _reason(full) == "the disk is full"
    assert _reason(["ERROR: first", "ERROR: last", "[notice] a new pip"]) == "last"
    assert _reason(["Error: command failed", ""]) == "Error: command failed"
    assert _reason([]) == "it ended without a word"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]))))
def test_there_is_always_a_reason(lines: list[str]) -> None:
    assert _reason(lines)
