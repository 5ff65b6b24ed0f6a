"""What becomes of a local Ray cluster, and of the calls in flight, when the command that started it is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from prbgen.llm.ledger import Ledger
from tests.generation.conftest import FAIR, Project, row
from tests.processes import ROOT


@pytest.fixture
def running(tmp_path: Path) -> tuple[Project, subprocess.Popen[str]]:
    """A command in mid-run, in a process group of its own, as a shell starts it."""
    rules = [{"stage": "answer", "reply": FAIR, "delay": 1}]
    project = Project(tmp_path, [row(number) for number in range(60)], rules, {"limits": {"concurrency": 4}})
    words = [sys.executable, "-m", "prbgen", "generate", str(project.write()), "--run", str(project.run.folder)]
    process = subprocess.Popen(
        [*words, "--ray", "local"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
    )  # fmt: skip
    project.await_calls(6)
    return project, process


def gone(processes: list[psutil.Process], seconds: float) -> bool:
    """Whether all have ended, or do so in time; one that nobody asks how it ended is a zombie."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(each.is_running() and _status(each) != psutil.STATUS_ZOMBIE for each in processes):
            return True
        time.sleep(0.2)
    return False


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""


def _status(process: psutil.Process) -> str:
    try:
        return str(process.status())
    except psutil.NoSuchProcess:
        return str(psutil.STATUS_ZOMBIE)


def test_ctrl_c_lets_calls_in_flight_in_and_ends_the_cluster(running: tuple[Project, subprocess.Popen[str]]) -> None:
    project, process = running
    cluster = psutil.Process(process.pid).children(recursive=True)
    assert any("raylet" in each.name() for each in cluster)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopping: waiting for the calls in flight" in err
    assert "Traceback" not in err
    with Ledger(project.run.ledger, read_only=True) as ledger:
        assert ledger.query("SELECT count(*) FROM attempts WHERE outcome != 'stop'") == [(0,)]
    assert gone(cluster, 30)


def test_the_cluster_of_a_command_that_is_killed_goes_away(running: tuple[Project, subprocess.Popen[str]]) -> None:
    project, process = running
    cluster = psutil.Process(process.pid).children(recursive=True)
    ours = [each for each in cluster if _name(each) in ("raylet", "gcs_server", "ray::Host", "ray::IDLE")]
    assert len(ours) > 2
    process.kill()
    process.wait()
    # Ray's own agents may take minutes to notice.
    assert gone(ours, 60)
    with Ledger(project.run.ledger, read_only=True) as ledger:
        assert ledger.query("SELECT count(reply) > 0 FROM attempts") == [(1,)]
