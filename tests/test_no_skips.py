"""PRBGEN_NO_SKIPS=1: where everything that the tests need is installed, a skipped test is a failed one."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import os
import pytest

def test_passes():
    assert "of the machine" not in os.environ.values()

def test_skips():
    pytest.skip("no browser")

@pytest.mark.skipif(True, reason="no mark")
def test_is_marked():
    pass

@pytest.mark.xfail(reason="known")
def test_known():
    assert False
"""
WHOLE_FILE = "import pytest\npytest.importorskip('no_such_module')"


@pytest.fixture
def run_tests(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HF_TOKEN"):
        monkeypatch.setenv(name, "of the machine")
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text())
    pytester.makepyfile(test_each=TESTS, test_whole_file=WHOLE_FILE)
    return pytester


def test_without_it_a_skip_is_a_skip(run_tests: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRBGEN_NO_SKIPS", raising=False)
    run_tests.runpytest_subprocess().assert_outcomes(passed=1, skipped=3, xfailed=1)


def test_with_it_a_skip_is_a_failure_with_its_reason(
    run_tests: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRBGEN_NO_SKIPS", "1")
    result = run_tests.runpytest_subprocess("--continue-on-collection-errors")
    # What skips before it begins (by a mark, or a whole file) is an error in pytest's words.
    result.assert_outcomes(passed=1, failed=1, errors=2, xfailed=1)
    for reason in ("no browser", "no mark", "could not import 'no_such_module'"):
        result.stdout.fnmatch_lines([f"*Skipped: {reason}*, and PRBGEN_NO_SKIPS=1 allows no skips"])
