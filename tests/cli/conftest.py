"""A run whose pairs people have rated and validated: made once, a copy for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from prbgen.cli import main
from prbgen.run import Run
from tests.validation.panel import careless, rate_both, rated_run


@pytest.fixture(scope="session")
def _validated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("validated")
    run = rated_run(folder / "run", questions=40)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRBGEN_RATERS_KEY", str(folder / "raters.key"))
        rate_both(run, folder / "rounds", answers={"dora": careless})
    recipe = run.recipe.read_text()
    run.recipe.write_text(recipe + "[validation]\nresamples = 100\n")
    assert main(["validate", str(run.folder), "--json"]) in (0, 1)
    return run.folder


@pytest.fixture
def validated(_validated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """80 pairs of 40 users, rated by three people with sense and by dora, who does not read; and validated."""
    monkeypatch.setenv("PRBGEN_RATERS_KEY", str(_validated.parent / "raters.key"))
    return Run(Path(shutil.copytree(_validated, tmp_path / "run")))
