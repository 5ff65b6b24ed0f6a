"""Keeps the tests apart from whatever machine they run on, and keeps skips honest."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import settings

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

# Slow machines are no bugs; a failing example is printed, so that nothing has to be remembered between runs.
settings.register_profile("prbgen", deadline=None, max_examples=60, database=None)
settings.load_profile("prbgen")

# At import, before any module can read them: a test that reached a provider would cost money.
for _name in list(os.environ):
    if re.search(r"(_API_KEY|_API_BASE|_BASE_URL|^HF_TOKEN|^HUGGING_FACE_HUB_TOKEN)$", _name):
        del os.environ[_name]


@pytest.fixture
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With PRBGEN_NO_SKIPS=1 a skipped test fails: where all can be installed, nothing may be skipped."""
    return _no_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a file that skips itself as a whole."""
    return _no_skip((yield))


def _no_skip(report: Report) -> Report:
    # A test that is expected to fail was run: it is no skip, though pytest reports it as one.
    expected = hasattr(report, "wasxfail")
    if report.skipped and not expected and os.environ.get("PRBGEN_NO_SKIPS") == "1":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: {reason}, and PRBGEN_NO_SKIPS=1 allows no skips"
    return report
