"""Names and texts of others: on a terminal, and as names of folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.cli import main
from prbgen.text import folder_name, one_line

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\x1b[8m\u202e\u2066\r\b"


@given(st.text())
def test_no_line_holds_what_a_terminal_obeys_or_nobody_sees(text: str) -> None:
    assert one_line(text + ESCAPES).isprintable()


def test_an_id_cannot_command_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps({"id": "1", "question": "q", ESCAPES: 1}) + "\n")
    assert main(["audit", str(tmp_path / "rows.jsonl")]) == 2
    told = capsys.readouterr().err
    assert "no chosen" in told
    assert not {"\x1b", "\x07", "\u202e"} & set(told)


def test_a_file_name_cannot_command_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(tmp_path / f"{ESCAPES}.jsonl")]) == 2
    assert capsys.readouterr().err.strip().isprintable()


@given(st.text(), st.text())
def test_a_name_of_a_folder_leads_nowhere_else(one: str, other: str) -> None:
    for name in (folder_name(one, other), folder_name(f"../{one}/../{other}"), folder_name(f"/{one}\0")):
        assert name not in ("", ".", "..")
        assert not set("/\\\0:") & set(name)
        assert Path(name).name == name
