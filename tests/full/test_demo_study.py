"""The demo study as a user runs it: three tiny models, the embedded model as policy and judge, within ten minutes."""

from __future__ import annotations

import json
import time
from pathlib import Path

from prbgen.cli import main


def test_the_demo_study_ends_within_ten_minutes_with_figures_for_all_its_models(in_tmp_path: Path) -> None:
    began = time.monotonic()
    assert main(["study", "--demo"]) == 0
    assert time.monotonic() - began < 600
    found = json.loads(Path("demo-study/study.json").read_text())
    assert found["failed"] == {}
    curves = found["best_of_n"]["models"].values()
    assert [curve["points"][-1]["k"] for curve in curves] == [4, 4, 4]
    assert all(0 < curve["points"][-1]["oracle"]["value"] <= 1 for curve in curves)
    assert [each["n_models"] for each in found["correlations"]["comparisons"]] == [3, 3]
    assert Path("demo-study/study.html").is_file()
