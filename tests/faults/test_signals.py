"""A process that is told to end, cut off from its terminal, or stopped for a while, as a closed laptop does it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from prbgen.cli import main
from tests.faults.conftest import Bench
from tests.processes import ROOT

# How `generate` ends and goes on is shown in tests/generation.
COMMANDS = ["evaluate", "bon sample"]


def start(bench: Bench, command: str, calls: int = 5) -> subprocess.Popen[str]:
    """A command that has begun to ask."""
    line = [sys.executable, "-m", "prbgen", *bench.words(command)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # Whoever starts the tests with nohup has their processes ignore a closed terminal, too.
    hangs_up = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGHUP, hangs_up)
    deadline = time.monotonic() + 120
    while len(bench.calls(command)) < calls:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


def goes_on(bench: Bench, command: str) -> None:
    """The same command again ends well, and asks anew for what was in flight at most."""
    assert main(bench.words(command)) == 0
    asked = [(call["digest"], call["sample"], call["text"]) for call in bench.calls(command)]
    assert len(asked) - len(set(asked)) <= 2
    assert bench.result(command)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_terminal_that_is_closed_loses_nothing(slow: Bench, command: str) -> None:
    process = start(slow, command)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGHUP
    goes_on(slow, command)


@pytest.mark.parametrize("command", ["evaluate"])
def test_ctrl_c_twice_ends_at_once_and_loses_what_was_in_flight_at_most(tmp_path: Path, command: str) -> None:
    bench = Bench(tmp_path, delay=300)
    process = start(bench, command, calls=1)
    process.send_signal(signal.SIGINT)
    assert process.stderr
    assert any("Stopping" in line for line in process.stderr)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    # Calls in flight would take minutes.
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    goes_on(Bench(tmp_path), command)


@pytest.mark.parametrize("command", ["evaluate"])
def test_output_that_nobody_reads_any_more_loses_nothing(slow: Bench, command: str) -> None:
    process = start(slow, command)
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    process.stderr.close()
    assert process.wait(timeout=120) in (0, 1)
    goes_on(slow, command)


@pytest.mark.parametrize("command", ["evaluate"])
def test_a_process_that_was_stopped_for_a_while_goes_on(slow: Bench, command: str) -> None:
    process = start(slow, command)
    process.send_signal(signal.SIGSTOP)
    time.sleep(1)
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (0, "")
    goes_on(slow, command)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_second_process_in_the_same_folder_is_refused(slow: Bench, command: str) -> None:
    process = start(slow, command)
    try:
        assert main(slow.words(command)) == 2
    finally:
        process.kill()
        process.communicate()
    # The lock went with its process.
    goes_on(slow, command)
