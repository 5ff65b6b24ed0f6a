"""`prbgen ledger export`: a file to publish."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prbgen.cli import main
from prbgen.llm.ledger import Ledger
from prbgen.llm.ledger.ledger import Result, Sent, insert, update
from prbgen.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = Run(tmp_path / "run")
    run.folder.mkdir()
    run.recipe.write_text("")
    with Ledger(run.ledger) as ledger:
        for key in ("k0", "k1"):
            number = insert(ledger._write, Sent(key, "answer", "s/0", "m", False, "2026-01-01T00:00:00"))
            update(ledger._write, number, Result("stop", "Tea.", None, {"prompt_tokens": 1, "id": "chatcmpl-1"}))
    return run


def test_the_replies_are_written_and_counted(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "replies.sqlite"
    assert main(["ledger", "export", str(run.folder), str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(file), "replies": 2}
    assert b"chatcmpl" not in file.read_bytes()
    with Ledger(file, read_only=True) as ledger:
        assert ledger.reply("k1") == ("Tea.", "stop")


def test_a_file_that_exists_is_refused_without_force(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["ledger", "export", str(run.folder), str(tmp_path / "replies.sqlite")]
    assert main(words) == 0
    assert f"--replay {tmp_path / 'replies.sqlite'}" in " ".join(capsys.readouterr().out.split("\n"))
    assert main(words) == 2
    assert "exists; name another file, or replace it with --force" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0


def test_a_run_at_work_is_exported_with_a_warning(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with run.locked():
        assert main(["ledger", "export", str(run.folder), str(tmp_path / "replies.sqlite")]) == 0
    assert "is working on this run" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["ledger"], ["ledger", "import"], ["ledger", "export", "nowhere", "x.sqlite"]])
def test_what_is_no_command_or_no_run_is_one_line(
    words: list[str], in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not list(in_tmp_path.iterdir())
