"""`prbgen annotate serve`, from the first start to Ctrl-C, with a stand-in for the server's own code."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from prbgen.cli import main
from prbgen.run import Run
from tests.annotation.embedded.stand_in import ask, until, write_stand_in
from tests.processes import ROOT

_SERVES = """
import sys
from pathlib import Path
import prbgen.resources
from prbgen.cli import main
shipped = prbgen.resources.resource
prbgen.resources.resource = lambda kind: Path(sys.argv[1]) if kind == "annotation/server" else shipped(kind)
raise SystemExit(main(["annotate", "serve", *sys.argv[2:]]))
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = Run(tmp_path / "run")
    run.folder.mkdir()
    run.recipe.touch()
    run.ledger.touch()
    return run


@contextmanager
def serve(run: Run, cache: Path, *words: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """The command in a process of its own, with a stand-in for annotation/server."""
    code = run.folder.parent / "code"
    if not code.exists():
        write_stand_in(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PRBGEN_CACHE": str(cache), **variables}
    command = [sys.executable, "-c", _SERVES, str(code), str(run.folder), *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def address_in(process: subprocess.Popen[str]) -> str:
    """Wait until it says where the server is."""
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.fullmatch(r"Argilla is at (\S+)\n", line)
    assert found, line or process.communicate()[1]
    return found[1]


def stop(process: subprocess.Popen[str], number: signal.Signals = signal.SIGINT) -> tuple[str, str]:
    """Stop it; what else it printed on stdout and stderr."""
    assert process.stdout is not None
    printed = ""
    while "Ctrl-C" not in printed:
        printed += process.stdout.readline()
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    return printed + stdout, stderr


def test_the_first_password_is_shown_once_and_ctrl_c_ends_all_in_good_order(run: Run, cache: Path) -> None:
    home = run.folder / "annotation" / "server"
    with serve(run, cache, "--port", "0") as process:
        url = address_in(process)
        told = ask(url)
        assert told is not None
        assert told["home"] == str(home)
        printed, remarks = stop(process)
    assert process.returncode == 0
    assert ask(url) is None
    shown = re.search(r"user +owner\n +password +(\S+)", printed)
    assert shown
    assert shown[1] == told["environment"]["EMBEDDED_ARGILLA_PASSWORD"]
    assert "5 raters at once and tens of thousands of records" in printed
    assert "ARGILLA_API_URL and ARGILLA_API_KEY" in printed
    compose = re.search(r"(\S+compose\.yaml) deploys", printed)
    assert compose
    assert Path(compose[1]).is_file()
    assert "warning" not in remarks
    key = told["environment"]["EMBEDDED_ARGILLA_API_KEY"]
    assert key not in printed + remarks
    # Promise 5: no secret in any file, but for the key in the server's own account file.
    for file in (each for each in run.folder.rglob("*") if each.is_file()):
        text = file.read_text()
        assert shown[1] not in text
        if key in text:
            assert file.parent == home
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with serve(run, cache, "--port", "0") as process:
        address_in(process)
        printed, _ = stop(process, signal.SIGTERM)
    assert process.returncode == 0
    assert "password  " not in printed
    assert "user      owner" in printed


def test_a_password_that_was_not_shown_yet_is_shown_by_the_next_start(run: Run, cache: Path) -> None:
    account = run.folder / "annotation" / "server" / "account.json"
    with serve(run, cache, "--port", "0", STAND_IN="hangs") as process:
        until(account.exists)
        until((account.parent / "server.log").exists)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == ""
    assert "the same command goes on" in stderr
    with serve(run, cache, "--port", "0") as process:
        told = ask(address_in(process))
        printed, _ = stop(process)
    assert told is not None
    assert f"password  {told['environment']['EMBEDDED_ARGILLA_PASSWORD']} " in printed


def test_killing_it_ends_the_server_and_the_next_start_goes_on(run: Run, cache: Path) -> None:
    with serve(run, cache, "--port", "0") as process:
        url = address_in(process)
        assert ask(url)
        process.kill()
        until(lambda: ask(url) is None, seconds=10)
    with serve(run, cache, "--port", url.rpartition(":")[2]) as process:
        assert address_in(process) == url
        stop(process)


def test_another_home_another_host_and_a_warning(run: Run, cache: Path, tmp_path: Path) -> None:
    with serve(run, cache, "--port", "0", "--host", "0.0.0.0", "--home", str(tmp_path / "elsewhere")) as process:
        told = ask(address_in(process))
        assert told is not None
        assert told["home"] == str(tmp_path / "elsewhere")
        _, remarks = stop(process)
    assert "warning: on 0.0.0.0 others can reach it" in remarks
    assert not (run.folder / "annotation").exists()


def test_a_second_server_in_the_same_home_is_refused(run: Run, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve(run, cache, "--port", "0") as process:
        address_in(process)
        assert main(["annotate", "serve", str(run.folder), "--port", "0"]) == 2
        assert f"pid {process.pid} on" in one_line(capsys)
        stop(process)


def test_a_server_that_dies_is_one_line(run: Run, cache: Path) -> None:
    with serve(run, cache, "--port", "0") as process:
        told = ask(address_in(process))
        assert told is not None
        os.kill(told["pid"], signal.SIGKILL)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "prbgen: Argilla's server ended with code -9" in stderr.splitlines()[-1]


def test_a_port_in_use_is_refused(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["annotate", "serve", str(run.folder), "--port", port]) == 2
    assert f"127.0.0.1:{port}: cannot listen there" in one_line(capsys)


def test_a_home_that_cannot_be_written_or_holds_something_else_is_refused(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["annotate", "serve", str(run.folder), "--home", str(run.recipe)]) == 2
    assert "recipe.toml: cannot be used" in one_line(capsys)
    assert main(["annotate", "serve", str(run.folder), "--home", str(run.folder)]) == 2
    assert "neither empty nor the home" in one_line(capsys)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "ACTION"),
        (["server"], "invalid choice: 'server'"),
        (["serve"], "required: RUN"),
        (["serve", "nowhere"], "nowhere: not a run"),
        (["serve", "nowhere", "--port", "many"], "--port"),
    ],
)
def test_wrong_words_are_one_line_and_leave_nothing(
    words: list[str], said: str, in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["annotate", *words]) == 2
    assert said in one_line(capsys)
    assert not list(in_tmp_path.iterdir())


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    (line,) = capsys.readouterr().err.strip().splitlines()
    return line
