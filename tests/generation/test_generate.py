"""Whole runs: order, resuming, kill -9, interrupts."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

import pytest


def test_pairs_come_in_source_order_however_long_each_takes(project: Any, new_row: Any) -> None:
    project.rows = [new_row(number) for number in range(12)]
    project.rules = [
        {"stage": "answer", "match": f"day {number}\\?", "reply": "{digest} it is.", "delay": 0.02 * (number * 7 % 12)}
        for number in range(12)
    ]
    pairs, _ = project.generate()
    assert [pair.id for pair in pairs] == [each["id"] for each in project.rows]


def test_a_line_of_pairs_begins_with_the_released_columns(project: Any) -> None:
    project.generate()
    first = json.loads(project.run.pairs.read_text().splitlines()[0])
    assert list(first) == [
        "id", "question", "profile", "rubric_aspects", "narrative", "category", "chosen", "rejected",
        "pair_id", "user_key", "strategy", "generator", "checks", "provenance",
    ]  # fmt: skip


def test_a_rerun_asks_for_no_recorded_reply_and_gives_the_same_bytes(project: Any) -> None:
    project.generate()
    before, calls = project.run.pairs.read_bytes(), len(project.calls())
    project.generate()
    assert project.run.pairs.read_bytes() == before
    assert len(project.calls()) == calls == 6


def test_time_outs_and_concurrency_change_no_key(project: Any) -> None:
    project.generate()
    project.tables["limits"] = {"concurrency": 2, "timeout": 7}
    project.generate()
    assert len(project.calls()) == 6


def test_faulty_rows_are_rejected_by_name_and_the_rest_goes_on(project: Any, new_row: Any) -> None:
    project.rows = [new_row(0), new_row(1, question=" "), new_row(2)]
    pairs, rejects = project.generate()
    assert [pair.id for pair in pairs] == ["1_0_0", "1_2_0"]
    assert [(reject.id, reject.stage) for reject in rejects] == [("1_1_0", "source")]
    assert "line 2" in (rejects[0].where or "")


def test_a_call_that_fails_for_good_rejects_its_item_and_is_asked_again_by_a_rerun(project: Any) -> None:
    project.rules.insert(0, {"match": "day 1", "fault": {"kind": "bad_request", "message": "too long"}, "times": 2})
    pairs, rejects = project.generate()
    assert len(pairs) == 2
    assert rejects[0].reasons == ("no reply (bad request): too long",)
    project.rules.pop(0)
    pairs, rejects = project.generate()
    assert (len(pairs), len(rejects)) == (3, 0)


@pytest.mark.parametrize("kind", ["auth", "unknown_model", "quota"])
def test_a_model_that_cannot_be_used_stops_the_run_in_one_line(project: Any, new_row: Any, kind: str) -> None:
    project.rows = [new_row(number) for number in range(60)]
    project.tables["limits"] = {"concurrency": 2}
    project.rules = [{"fault": {"kind": kind, "message": "no"}}]
    process = project.command()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.strip() == f"prbgen: scripted/model.jsonl cannot be used ({kind.replace('_', ' ')}): no"
    assert len(project.calls()) < 20


def test_kill_9_in_mid_run_loses_nothing_and_pays_nothing_twice_but_what_was_in_flight(
    project: Any, new_row: Any
) -> None:
    project.rows = [new_row(number) for number in range(30)]
    project.tables |= {"limits": {"concurrency": 4}, "checks": {"mode": "report"}}
    project.rules = [
        {"stage": "answer", "match": "has \\d+ words", "reply": "{digest} is short."},
        {"stage": "answer", "match": "day [0-9]\\?", "reply": "{digest} " + "word " * 150, "delay": 0.03},
        {"stage": "answer", "reply": "{digest} it is.", "delay": 0.03},
    ]
    kills = 0
    for _ in range(3):
        process = project.command()
        before = len(project.calls())
        deadline = time.monotonic() + 60
        while process.poll() is None and len(project.calls()) < before + 17 and time.monotonic() < deadline:
            time.sleep(0.01)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate()
        assert not project.run.pairs.exists()
    final = project.command()
    final.communicate(timeout=60)
    assert final.returncode == 0
    resumed = project.run.pairs.read_bytes()

    sent = [(call["stage"], call["digest"], call["sample"]) for call in project.calls()]
    assert kills == 3
    assert len(sent) - len(set(sent)) <= kills * 4

    undisturbed = type(project)(project.folder / "again", project.rows, project.rules, project.tables)
    undisturbed.folder.mkdir()
    undisturbed.command().communicate(timeout=60)
    assert resumed == undisturbed.run.pairs.read_bytes()
    assert len(set(sent)) == len(undisturbed.calls())


def test_a_call_whose_line_is_still_being_written_is_not_counted_yet(project: Any) -> None:
    (project.folder / "calls.jsonl").write_text('{"stage": "answer"}\n{"stage": "ans')
    assert project.calls() == [{"stage": "answer"}]


def test_ctrl_c_finishes_what_is_in_flight_and_says_how_to_go_on(project: Any, new_row: Any) -> None:
    project.rows = [new_row(number) for number in range(40)]
    project.tables["limits"] = {"concurrency": 2}
    project.rules = [{"stage": "answer", "reply": "{digest} it is.", "delay": 0.1}]
    process = project.command()
    project.await_calls(8)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "the same command goes on" in err
    assert "Traceback" not in err
    sent = len(project.calls())
    assert sent < 40
    assert project.command().wait(timeout=60) == 0
    assert len(project.calls()) == 80


def test_two_processes_on_one_run_are_refused_with_the_first_ones_pid(project: Any) -> None:
    project.rules = [{"stage": "answer", "reply": "{digest} it is.", "delay": 2}]
    first = project.command()
    project.await_calls(1)
    second = project.command()
    _, err = second.communicate(timeout=30)
    assert second.returncode == 2
    assert f"pid {first.pid}" in err
    assert first.wait(timeout=30) == 0


def test_no_key_of_the_environment_gets_into_any_file_or_message(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = "sk-canary-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", canary)
    project.rules = [
        {"stage": "answer", "match": "day 0", "fault": {"kind": "bad_request", "message": f"bad key {canary}"}},
        {"stage": "answer", "reply": f"Your key is {canary}."},
    ]
    process = project.command()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert canary not in out + err
    written = [file for file in project.run.folder.rglob("*") if file.is_file()]
    assert len(written) >= 5
    assert not [file for file in written if canary.encode() in file.read_bytes()]
