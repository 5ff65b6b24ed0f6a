"""What waits on disk to be submitted."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import PrbgenError
from prbgen.llm.batch.provider import Size
from prbgen.llm.batch.spool import Spool, empty
from prbgen.llm.ledger import Sent
from tests.processes import python


def sent(number: int) -> Sent:
    return Sent(f"{number:032x}", "answer", f"q{number}", "openai/m", False, "", 7, None)


@given(
    texts=st.lists(st.text(max_size=80), max_size=30),
    requests=st.integers(1, 8),
    size=st.integers(200, 2000),
)
def test_parts_hold_every_call_once_in_order_and_keep_to_the_limits(texts: list[str], requests: int, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        spool = Spool(Path(folder) / "batches", Size(requests, size))
        for number, text in enumerate(texts):
            spool.add(sent(number), {"custom_id": sent(number).key, "text": text})
        assert all(sent(number).key in spool for number in range(len(texts)))
        calls, lines = [], []
        for part in spool.take():
            own = part.requests.read_bytes()
            # ASCII: no character can be taken for the end of a line.
            rows = [json.loads(line) for line in own.decode("ascii").splitlines()]
            assert len(rows) == part.count <= requests
            assert len(own) == part.size
            assert len(own) <= size or part.count == 1
            calls += list(part.calls("now"))
            lines += rows
            assert {call.submission for call in part.calls("now")} == {part.submission}
            part.delete()
        assert [row["text"] for row in lines] == texts
        assert [call.key for call in calls] == [row["custom_id"] for row in lines]
        assert len(spool) == 0
        assert not list(Path(folder).rglob("*.jsonl"))


def test_what_is_not_taken_stays(tmp_path: Path) -> None:
    spool = Spool(tmp_path, Size(2, 10**6))
    for number in range(5):
        spool.add(sent(number), {})
    next(iter(spool.take()))
    assert [sent(number).key in spool for number in range(5)] == [False, False, True, True, True]
    assert len(spool) == 3


def test_what_a_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    Spool(tmp_path, Size(2, 10**6)).add(sent(1), {})
    (tmp_path / "mine.jsonl").touch()
    empty(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.jsonl"]
    empty(tmp_path / "not there")


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "batches").touch()
    with pytest.raises(PrbgenError, match=r"batches: cannot be written \(File exists\); make room"):
        Spool(tmp_path / "batches", Size(2, 10**6)).add(sent(1), {})


def test_the_sdks_are_imported_only_when_a_provider_is_asked() -> None:
    code = "import sys, prbgen.llm.batch; print([m for m in ('openai', 'anthropic', 'litellm') if m in sys.modules])"
    assert python(code).strip() == "[]"
