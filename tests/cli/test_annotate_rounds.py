"""What a campaign manager reads in the terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.ratings.progress import Coverage, Progress
from prbgen.annotation.ratings.work import RaterProgress, Work
from prbgen.annotation.standing import Standing
from prbgen.cli import main
from prbgen.cli.annotate.status_table import tables
from prbgen.run import Run
from tests.annotation.conftest import _key_of_the_raters, argilla, roster, run  # noqa: F401
from tests.annotation.forms import campaign_of
from tests.annotation.raters import RestRater
from tests.annotation.server.conftest import argilla_python, server  # noqa: F401
from tests.annotation.server.embedded import Server

NOTHING = Work(0, 0, 0, 5, None, None, None, 0, 0, 1, None, 0, None)
SOME = Work(12, 1, 2, 3, 40.0, 61.5, 0.075, 1, 2, 0, 0.5, 6, "2026-11-30T10:00:00.000000Z")


SUBSETS = ("Art_and_Entertainment", "Lifestyle_and_Personal_Development")


def standing_of(names: dict[str, str], campaign: Campaign | None = None, **works: Work) -> Standing:
    """A round in two subsets; whoever is not called r1 to r3 is no rater of it."""
    there = Coverage(items=20, complete=4, wanted=60, there=13, hours_left=1.25)
    empty = Coverage(items=1, complete=0, wanted=3, there=0, hours_left=None)
    campaign = campaign or campaign_of("rubric")
    raters = tuple(
        RaterProgress(rater, rater in campaign.raters, work, dict.fromkeys(SUBSETS, work))
        for rater, work in works.items()
    )
    return Standing(campaign, Progress(raters, there, dict(zip(SUBSETS, (there, empty), strict=True))), names)


def shown(standing: Standing, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    with console.capture() as capture:
        for table in tables(standing):
            console.print(table)
    return capture.get()


def test_status_shows_every_rater_by_subset_and_unknown_as_a_dash() -> None:
    text = shown(standing_of({"r1": "ada [red]"}, r2=NOTHING, r1=SOME, r9=NOTHING), width=120)
    assert "rubric: 4 of 20 items complete, 13 of 60 responses, 1.2 h left" in text
    assert f"{SUBSETS[1]}: 0 of 1 items complete, 0 of 3 responses\n" in text
    [ada] = [line for line in text.splitlines() if line.startswith("ada [red]")]
    assert ada.split()[2:] == ["12", "3", "1", "2", "40", "62", "4", "min", "1/2", "50%"]
    [second] = [line for line in text.splitlines() if line.startswith("r2")]
    assert second.split()[1:] == ["0", "5", "0", "0", "-", "-", "-", "-", "-"]
    assert text.count("\n  Lifestyle and Personal Development ") == 3
    assert "r9 (no rater of this round)" in text


def test_raters_come_by_username() -> None:
    text = shown(standing_of({"r1": "cleo", "r2": "ada", "r3": "ben"}, r1=SOME, r2=SOME, r3=NOTHING))
    assert [word for word in text.split() if word in ("ada", "ben", "cleo")] == ["ada", "ben", "cleo"]


def test_status_fits_into_80_columns_with_nothing_cut() -> None:
    long = "a-rater-with-a-name-as-long-as-addresses-are@example.org"
    big = replace(SOME, done=12345, pending=1234, pace=140.0, hours_left=88.2, gold_right=100, gold_done=120)
    text = shown(standing_of({"r1": long}, r1=big, r2=NOTHING))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    [head] = [line for line in lines if line.startswith("rater")]
    assert head.split() == ["rater", "done", "to", "do", "draft", "disc.", "/h", "s/item", "left", "gold", "rep."]
    cells = ["12345", "1234", "1", "2", "140", "62", "88.2", "h", "100/120", "50%"]
    assert [line.split()[-10:] for line in lines if "12345" in line] == [cells] * 3
    names = [line[: head.index("done") - 1].rstrip() for line in lines]
    assert long in "".join(names)
    first = names.index("  Lifestyle and Personal")
    assert names[first + 1] == "  Development"
    assert lines[-1] == "gold: right of those done; rep.: repeats answered alike; red: below 70% or 10 s"


@pytest.mark.parametrize(
    ("changes", "red"),
    [
        ({"gold_right": 7, "gold_done": 10, "median_seconds": 10.0}, []),
        ({"gold_right": 0, "gold_done": 0, "median_seconds": None}, []),
        ({"gold_right": 6, "gold_done": 10, "median_seconds": 30.0}, ["6/10"]),
        ({"gold_right": 0, "gold_done": 1, "median_seconds": 9.4}, ["9", "0/1"]),
    ],
)
def test_what_a_rater_would_be_left_out_for_is_red(changes: dict[str, Any], red: list[str]) -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard", highlight=False)
    with console.capture() as capture:
        for table in tables(standing_of({}, r1=replace(SOME, **changes))):
            console.print(table)
    assert re.findall(r"\x1b\[31m *(\S+?)\x1b", capture.get()) == red


@pytest.fixture
def pushed(run: Run, tmp_path: Path) -> Run:  # noqa: F811
    """A run with a round on sheets."""
    words = ["annotate", "push", str(run.folder), "--round", "quality", "--raters-per-item", "1"]
    assert main([*words, "--to", str(tmp_path / "sheets"), "--raters", str(roster(tmp_path, ["ada"]))]) == 0
    return run


def watched(pushed: Run, looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`status --watch` until Ctrl-C after so many looks."""
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == looks:
            raise KeyboardInterrupt

    monkeypatch.setattr("prbgen.cli.annotate.status.time.sleep", sleep)
    sheets = pushed.folder.parent / "sheets"
    assert main(["annotate", "status", str(pushed.folder), "--from", str(sheets), "--watch", "3"]) == 0
    assert slept == [3.0] * looks


def test_watching_into_a_file_prints_a_table_and_the_time_of_each_look(
    pushed: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    watched(pushed, 2, monkeypatch)
    out = capsys.readouterr().out
    assert out.count("\nada ") == out.count("quality: ") == 2
    assert len(re.findall(r"^looked at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$", out, re.MULTILINE)) == 2
    assert "\x1b" not in out


def test_watching_on_a_terminal_draws_over_the_look_before(
    pushed: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    watched(pushed, 2, monkeypatch)
    out = capsys.readouterr().out
    assert "\x1b[1A" in out
    assert "looked at" in out


def test_push_shows_each_password_once_and_where_to_rate(
    run: Run,  # noqa: F811
    argilla: Server,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = f"shown-{tmp_path.parent.name[-6:]}-{tmp_path.name[-8:]}"
    words = ["annotate", "push", str(run.folder), "--round", "blind", "--raters-per-item", "1"]
    assert main([*words, "--raters", str(roster(tmp_path, [name]))]) == 0
    out = capsys.readouterr().out
    [password] = re.findall(rf"{name}  (\S+)", out)
    [url] = re.findall(r"rate at  (\S+)", out)
    assert RestRater(argilla.url, name, password).datasets()[0]["id"] in url
    assert main(words) == 0
    assert password not in capsys.readouterr().out
    assert main(["annotate", "status", str(run.folder)]) == 0
    assert name in capsys.readouterr().out
    assert main(["annotate", "pull", str(run.folder), "--round", "blind", "--close"]) == 0
    assert "the round blind is closed" in capsys.readouterr().out
    for file in run.folder.rglob("*"):
        if file.is_file():
            assert name.encode() not in file.read_bytes()
            assert password.encode() not in file.read_bytes()
