"""The clock on the wall is set while prbgen runs (`time.time` is replaced; `time.monotonic` runs on, as it does)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from prbgen.llm.admission import hints_of
from tests.faults.conftest import Bench
from tests.processes import ROOT

# After so many looks at it the clock is an hour off, and after as many again another hour.
_JUMPING = """
import itertools, sys, time
true, looks = time.time, itertools.count()
time.time = lambda: true() + float({jump}) * (next(looks) // 20)
"""


def with_a_jumping_clock(folder: Path, jump: float, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "sitecustomize.py").write_text(_JUMPING.format(jump=jump))
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    line = [sys.executable, "-m", "prbgen", *words]
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_clock_that_jumps_changes_no_result_and_holds_nothing_up(bench: Bench, tmp_path: Path, jump: float) -> None:
    ended = with_a_jumping_clock(tmp_path, jump, *bench.words("evaluate"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(bench.calls("evaluate")) == 2 * len(bench.result("evaluate").splitlines())


@pytest.mark.parametrize("off", [timedelta(hours=5), timedelta(hours=-5)])
def test_a_date_to_wait_for_is_of_the_servers_clock_not_of_ours(off: timedelta) -> None:
    theirs = datetime.now(UTC) + off
    dates = {"Date": theirs, "Retry-After": theirs + timedelta(seconds=30)}
    headers = {name: format_datetime(date.replace(microsecond=0), usegmt=True) for name, date in dates.items()}
    assert hints_of(headers, time.time()).retry_after == 30.0
