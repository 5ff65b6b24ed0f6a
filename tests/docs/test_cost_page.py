"""docs/cost.md shows what its script calculates."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cost() -> Any:
    spec = importlib.util.spec_from_file_location("docs_cost", ROOT / "docs" / "hooks" / "cost.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look for their module there.
    sys.modules["docs_cost"] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_what_the_script_prints(
    cost: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["cost.py"])
    cost.main()
    assert cost.shown((ROOT / "docs" / "cost.md").read_text(encoding="utf-8")) == capsys.readouterr().out


def test_figures_are_per_pair_times_pairs(cost: Any) -> None:
    calls = sum(stage.calls[0] for stage in cost.STAGES)
    seconds = (cost.CPU_A_PAIR.value + calls * cost.CPU_A_CALL.value) * 10
    assert cost._of(10_000)["calls"].startswith(f"{calls * 10_000:,.0f} - ")
    assert cost._of(10_000)["one process, all of it"].startswith(cost._hours(seconds))
    assert cost._of(1)["... cores for calls"] == "1"


@pytest.mark.parametrize(
    ("seconds", "shown"), [(59, "59 s"), (180, "3 min"), (7200, "2 h"), (3 * 86_400, "3 days"), (7199, "120 min")]
)
def test_times_are_told_in_the_unit_that_fits(cost: Any, seconds: float, shown: str) -> None:
    assert cost._hours(seconds) == shown


@pytest.mark.parametrize(
    ("size", "shown"), [(1.65e13, "16.5 TB"), (8.51e9, "8.51 GB"), (2e6, "2 MB"), (15, "0.015 KB")]
)
def test_sizes_are_told_in_the_unit_that_fits(cost: Any, size: float, shown: str) -> None:
    assert cost._bytes(size) == shown
