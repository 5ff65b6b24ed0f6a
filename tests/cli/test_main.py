"""The front door: help, unknown commands, one clear line for whatever is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from prbgen.cli import COMMANDS, main

HEAVY = ("litellm", "datasets", "pyarrow", "numpy", "pydantic", "rich", "jinja2", "bm25s", "torch", "openai")


def prbgen(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "prbgen", *words], capture_output=True, text=True, cwd=cwd, timeout=60)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from prbgen.cli import main; main(['--help']);"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip() == "[]"
    for name, summary in COMMANDS.items():
        assert name in done.stdout
        assert summary in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    assert f"usage: prbgen {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["generat", "x"], "did you mean 'generate'?"),
        (["generate"], "the following arguments are required: RECIPE"),
        (["generate", "nowhere.toml"], "nowhere.toml: No such file or directory"),
        (["generate", "x.toml", "--limit", "few"], "--limit"),
        (["status", "nowhere"], "nowhere: not a run"),
        (["demo", "--bogus"], "--bogus"),
    ],
)
def test_wrong_input_gets_one_line_and_exit_code_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    from prbgen import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"prbgen {__version__}"


@pytest.mark.parametrize("words", [["--help"], ["generate", "--help"]])
def test_a_reader_that_leaves_early_is_no_error(words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    # As it is by default: what is printed is written at the end.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "prbgen", *words]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, env=environment, timeout=60)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")
