"""Extending a run: what is there stays, what is new goes in among it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import FellShortError, InputError
from prbgen.generation.merge import in_source_order

SOURCE = [f"q{number}" for number in range(8)]
SELECTION = st.sets(st.sampled_from(SOURCE)).map(sorted)


@given(st.lists(SELECTION, max_size=4), SELECTION)
def test_every_question_stands_once_and_those_of_this_command_in_their_order(
    before: list[list[str]], now: list[str]
) -> None:
    order: list[str] = []
    for selection in [*before, now]:
        order = in_source_order(selection, order)
    assert sorted(order) == sorted(set().union(*before, now))
    assert [question for question in order if question in now] == now


@given(st.lists(SELECTION, max_size=4))
def test_after_a_command_over_all_the_order_is_that_of_the_source(before: list[list[str]]) -> None:
    order: list[str] = []
    for selection in [*before, SOURCE]:
        order = in_source_order(selection, order)
    assert order == SOURCE


@given(st.integers(0, 8), st.integers(0, 8))
def test_limits_narrow_and_wide_keep_the_source_order(first: int, second: int) -> None:
    order = in_source_order(SOURCE[:second], in_source_order(SOURCE[:first], []))
    assert order == SOURCE[: max(first, second)]


def lines(project: Any) -> list[tuple[str, str, str]]:
    pairs = [json.loads(line) for line in project.run.pairs.read_text().splitlines()]
    return [(pair["id"], pair["strategy"], pair["generator"]) for pair in pairs]


def test_another_model_and_another_strategy_add_pairs_beside_those_that_are_there(project: Any) -> None:
    project.generate()
    first = project.run.pairs.read_text().splitlines()
    (project.folder / "other.jsonl").write_text((project.folder / "model.jsonl").read_text())
    project.tables["models"] = {"answer": "scripted/other.jsonl"}
    project.generate()
    project.tables["models"] = {"answer": "scripted/model.jsonl"}
    project.tables["pair"] = {"strategy": "generic"}
    calls = len(project.calls())
    project.generate()
    # The chosen answers are the same calls whatever the strategy.
    assert len(project.calls()) == calls + 3
    assert lines(project) == [
        (f"1_{number}_0", strategy, f"scripted/{model}")
        for number in range(3)
        for strategy, model in (("avoid", "model.jsonl"), ("avoid", "other.jsonl"), ("generic", "model.jsonl"))
    ]
    assert project.run.pairs.read_text().splitlines()[::3] == first


def test_whatever_order_commands_come_in_the_files_are_the_same(project: Any) -> None:
    (project.folder / "other.jsonl").write_text(json.dumps(project.rules[0]) + "\n")
    commands: list[dict[str, dict[str, Any]]] = [
        {"models": {"answer": f"scripted/{model}.jsonl"}, "pair": {"strategy": strategy}}
        for model in ("model", "other")
        for strategy in ("avoid", "generic")
    ]
    files = []
    for order in (commands, commands[::-1]):
        for project.tables in order:
            project.generate()
        files.append(project.run.pairs.read_bytes())
        project.run.pairs.unlink()
    assert files[0] == files[1]


def test_more_questions_add_to_what_is_there(project: Any, new_row: Callable[..., dict[str, Any]]) -> None:
    project.generate()
    first = project.run.pairs.read_text().splitlines()
    project.rows = [new_row(7), *project.rows, new_row(8)]
    calls = len(project.calls())
    project.generate()
    assert len(project.calls()) == calls + 4
    assert [line[0] for line in lines(project)] == ["1_7_0", "1_0_0", "1_1_0", "1_2_0", "1_8_0"]
    assert project.run.pairs.read_text().splitlines()[1:4] == first


def test_a_pair_that_is_now_rejected_goes_and_one_that_succeeds_now_is_no_reject_any_more(project: Any) -> None:
    good = project.rules
    project.rules = [{"match": "day 1", "fault": {"kind": "bad_request", "message": "no"}}, *good]
    pairs, rejects = project.generate()
    assert (len(pairs), len(rejects)) == (2, 1)
    assert (rejects[0].strategy, rejects[0].generator) == ("avoid", "scripted/model.jsonl")
    project.rules = good
    pairs, rejects = project.generate()
    assert (len(pairs), len(rejects)) == (3, 0)


def test_rejects_of_another_variant_stay_and_faults_of_the_source_are_those_of_the_last_reading(project: Any) -> None:
    good = project.rules
    project.rows.append({"id": "broken"})
    project.rules = [{"match": "day 1", "fault": {"kind": "bad_request", "message": "no"}}, *good]
    project.generate()
    project.rules = good
    project.tables["pair"] = {"strategy": "generic"}
    _, rejects = project.generate()
    assert [(reject.id, reject.stage) for reject in rejects] == [("1_1_0", "pair"), ("broken", "source")]
    project.rows.pop()
    _, rejects = project.generate()
    assert [(reject.id, reject.stage) for reject in rejects] == [("1_1_0", "pair")]


def test_a_changed_prompt_is_said_and_redoes_what_depends_on_it(project: Any) -> None:
    project.generate()
    assert project.said == []
    before = project.run.pairs.read_text()
    from prbgen.resources import resource

    text = (resource("prompts") / "answer.j2").read_text(encoding="utf-8")
    (project.folder / "prompts").mkdir()
    (project.folder / "prompts" / "answer.j2").write_text(text.replace("Write the answer", "Please write the answer"))
    calls = len(project.calls())
    project.generate()
    assert len(project.calls()) == calls + 6
    assert project.said == [
        "prompts/answer.j2 has changed since 3 pairs of this run were made: those that are asked for now are made,"
        " and paid for, anew; all others stay as they are"
    ]
    assert project.run.pairs.read_text() != before


@pytest.mark.parametrize("name", ["pairs", "rejects"])
def test_a_damaged_file_of_an_earlier_command_is_named_before_anything_is_sent(project: Any, name: str) -> None:
    project.generate()
    calls = len(project.calls())
    path = getattr(project.run, name)
    path.write_text(path.read_text() + '{"id": 1\n')
    project.tables["pair"] = {"strategy": "generic"}

    with pytest.raises(InputError, match=rf"{name}\.jsonl: line \d"):
        project.generate()
    assert len(project.calls()) == calls


def test_a_used_up_budget_leaves_the_pairs_that_were_paid_for_and_a_higher_one_adds_the_rest(
    project: Any, new_row: Callable[..., dict[str, Any]]
) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    project.rows = [new_row(number) for number in range(20)]
    project.rules = [{"reply": "{digest}, then {digest}, then {digest}.", "usage": usage, "delay": 0.01}]
    project.tables["models"] = {"answer": {"name": "scripted/model.jsonl", "max_tokens": 50}}
    project.generate()
    whole = project.run.pairs.read_bytes()
    for file in project.run.folder.iterdir():
        file.unlink()

    project.tables["limits"] = {"budget_tokens": 3000, "concurrency": 2}
    with pytest.raises(FellShortError, match=r"every reply is kept"):
        project.generate()
    some = project.run.pairs.read_text().splitlines()
    assert 1 < len(some) < 20
    assert set(some) < set(whole.decode().splitlines())
    assert not project.run.finished
    project.tables["limits"] = {"budget_tokens": 100_000}
    project.generate()
    assert project.run.pairs.read_bytes() == whole
    assert project.run.finished
    assert len(project.calls()) == 2 * 40


def test_a_last_line_without_its_end_is_mended_when_more_is_added(project: Any) -> None:
    project.generate()
    whole = project.run.pairs.read_text()
    project.run.pairs.write_text(whole.removesuffix("\n"))
    project.tables["pair"] = {"strategy": "generic"}
    project.generate()
    assert set(whole.splitlines()) < set(project.run.pairs.read_text().splitlines())


def test_pairs_without_their_ledger_are_not_paid_for_again_in_silence(project: Any) -> None:
    project.generate()
    calls = len(project.calls())
    project.run.ledger.write_bytes(b"")
    with pytest.raises(InputError, match="has pairs but an empty ledger"):
        project.generate()
    assert len(project.calls()) == calls


def test_a_fault_that_is_not_of_the_disk_is_not_told_as_one(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: Any, **__: Any) -> Any:
        raise OSError("the source has gone")

    monkeypatch.setattr(sys.modules["prbgen.generation.generate"], "read_questions", gone)
    with pytest.raises(OSError, match="the source has gone"):
        project.generate()
