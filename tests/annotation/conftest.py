"""A run with pairs to rate, and the real server for its rounds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main
from prbgen.run import Run
from tests.annotation.plan.rated_pairs import rated_pairs, write
from tests.annotation.server.conftest import argilla_python, server  # noqa: F401 - fixtures
from tests.annotation.server.embedded import API_KEY, Server

RECIPE = (
    '[source]\npath = "samples"\n[models]\nanswer = "openai/gpt-4o-mini"\n[annotation]\ngold = 0.2\nrepeats = 0.2\n'
)
Prbgen = Callable[..., Any]


@pytest.fixture(autouse=True)
def _key_of_the_raters(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRBGEN_RATERS_KEY", str(tmp_path_factory.mktemp("key") / "raters.key"))
    for name in ("ARGILLA_API_URL", "ARGILLA_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Ten pairs on five questions; whoever rates them counts, however carelessly."""
    folder = tmp_path / "my run"
    folder.mkdir()
    (folder / "recipe.toml").write_text(RECIPE + "least_gold = 0\nleast_seconds = 0\n")
    (folder / "ledger.sqlite").touch()
    write(folder, rated_pairs(5))
    return Run(folder)


@pytest.fixture
def argilla(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:  # noqa: F811
    """The server that the environment names."""
    monkeypatch.setenv("ARGILLA_API_URL", server.url)
    monkeypatch.setenv("ARGILLA_API_KEY", API_KEY)
    return server


@pytest.fixture
def prbgen(run: Run, capsys: pytest.CaptureFixture[str]) -> Prbgen:
    """`prbgen annotate ACTION RUN ... --json`: what it printed, or its one line of refusal."""

    def command(action: str, *words: Any, code: int = 0) -> Any:
        capsys.readouterr()
        status = main(["annotate", action, str(run.folder), *map(str, words), "--json"])
        told = capsys.readouterr()
        assert status == code, told.err
        if code != 2:
            return json.loads(told.out)
        assert told.out == ""
        assert len(told.err.splitlines()) == 1
        return told.err

    return command


def roster(folder: Path, names: Sequence[str]) -> Path:
    """A file of raters."""
    file = folder / f"{names[0]}.csv"
    file.write_text("username\n" + "".join(f"{name}\n" for name in names), encoding="utf-8")
    return file
