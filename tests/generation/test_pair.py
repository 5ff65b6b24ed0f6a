"""The two answers of a pair."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generation.pair import worth_caching
from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Message

FAIR = "Pick {digest} tonight, with {digest} on the side and {digest} to drink."
CHOSEN, REJECTED = "cover each of these points", "Do not touch on any of these points"


def test_chosen_and_rejected_come_from_their_own_briefs(project: Any) -> None:
    project.rules = [
        {"stage": "answer", "match": CHOSEN, "reply": "Fry noodles without an oven."},
        {"stage": "answer", "match": REJECTED, "reply": "Bake an onion tart tonight."},
    ]
    pairs, _ = project.generate()
    assert {(pair.chosen, pair.rejected) for pair in pairs} == {
        ("Fry noodles without an oven.", "Bake an onion tart tonight.")
    }


def test_an_answer_over_the_limit_is_asked_for_once_more_and_told_by_how_much(project: Any, new_answer: Any) -> None:
    project.tables |= {"pair": {"words": 30}, "checks": {"mode": "report"}}
    project.rules = [
        {"stage": "answer", "match": "has 48 words; it may have at most 30", "reply": new_answer(24)},
        {"stage": "answer", "reply": new_answer(48)},
    ]
    pairs, _ = project.generate()
    assert pairs[0].chosen == new_answer(24)
    assert len(pairs[0].provenance.calls["chosen"]) == 2
    words = next(check for check in pairs[0].checks if check.name == "words" and check.side == "chosen")
    assert (words.outcome, words.figure, words.detail) == ("pass", 24, None)


def test_an_answer_that_stays_too_long_is_cut_at_a_sentence_end_and_this_is_recorded(
    project: Any, new_answer: Any
) -> None:
    project.tables |= {"pair": {"words": 30}, "checks": {"mode": "report"}}
    project.rules = [{"stage": "answer", "reply": new_answer(48)}]
    pairs, _ = project.generate()
    assert pairs[0].chosen == new_answer(30)
    words = next(check for check in pairs[0].checks if check.name == "words" and check.side == "rejected")
    assert (words.outcome, words.figure, words.detail) == ("pass", 30, "cut at a sentence end from 48 words")


def test_gate_writes_both_sides_afresh_and_takes_the_first_attempt_that_passes(project: Any) -> None:
    project.rules = [
        {
            "stage": "answer",
            "match": REJECTED,
            "reply": "Your profile speaks for tarts with cream.",
            "times": 1,
        },
        {"stage": "answer", "reply": FAIR},
    ]
    project.rows = project.rows[:1]
    (pair,), _ = project.generate()
    assert pair.provenance.attempt == 2
    # Never is one side mended alone: what a side took would tell it from the other one.
    assert [len(pair.provenance.calls[side]) for side in ("chosen", "rejected")] == [1, 1]
    assert len(project.calls()) == 4
    (first,) = pair.provenance.earlier_checks
    assert ("talk", "rejected") in [(check.name, check.side) for check in first if check.outcome == "fail"]
    assert not [check for check in pair.checks if check.outcome == "fail"]


def test_gate_rejects_with_all_figures_when_no_attempt_passes(project: Any) -> None:
    project.rules = [
        {"stage": "answer", "match": CHOSEN, "reply": "Noodles it is."},
        {"stage": "answer", "match": REJECTED, "reply": "As an AI, I would bake."},
    ]
    pairs, rejects = project.generate()
    assert not pairs
    assert [(reject.stage, reject.attempts) for reject in rejects] == [("check", 3)] * 3
    assert "talk fails (rejected)" in rejects[0].reasons
    attempts = (*rejects[0].earlier_checks, rejects[0].checks)
    assert [{check.side for check in checks} for checks in attempts] == [{"chosen", "rejected", None}] * 3
    assert [check.figure for check in rejects[0].checks if check.name == "words"] == [3, 6]
    # Three attempts of two sides each.
    assert len(project.calls()) == 3 * 3 * 2


def test_an_empty_answer_is_written_again_in_the_gate_like_any_failing_one(project: Any) -> None:
    project.rules = [{"reply": "<think>hm</think>", "times": 1}, {"reply": FAIR}]
    project.rows = project.rows[:1]
    (pair,), _ = project.generate()
    assert (pair.provenance.attempt, len(project.calls())) == (2, 4)


def test_report_keeps_a_failing_pair_and_records_the_failure(project: Any) -> None:
    project.tables["checks"] = {"mode": "report"}
    project.rules = [{"stage": "answer", "reply": "As an AI, I would bake."}]
    pairs, rejects = project.generate()
    assert not rejects
    assert {check.outcome for check in pairs[0].checks if check.name == "talk"} == {"fail"}
    assert len(project.calls()) == 3 * 2 * 2


def test_off_takes_answers_as_they_come(project: Any) -> None:
    project.tables["checks"] = {"mode": "off"}
    project.rules = [{"stage": "answer", "reply": "As an AI, I would bake."}]
    pairs, _ = project.generate()
    assert pairs[0].checks == ()
    assert len(project.calls()) == 3 * 2


TRUNCATED, FILTERED = {"reply": "Fry some", "finish": "length"}, {"reply": "I can't", "finish": "filtered"}


def test_truncated_and_filtered_replies_are_outcomes_of_their_own_and_not_asked_again(project: Any) -> None:
    project.tables["checks"] = {"mode": "report"}
    project.rules = [{"match": "day 0", **TRUNCATED}, {"match": "day 1", **FILTERED}, {"reply": FAIR}]
    pairs, rejects = project.generate()
    assert len(pairs) == 1
    assert [reject.stage for reject in rejects] == ["pair", "pair"]
    assert "max_tokens" in rejects[0].reasons[0]
    assert "refused" in rejects[1].reasons[0]
    assert len(project.calls()) == 6
    project.generate()
    assert len(project.calls()) == 6


@pytest.mark.parametrize(("fault", "check"), [(TRUNCATED, "whole"), (FILTERED, "refusal")])
def test_in_the_gate_a_truncated_or_filtered_answer_fails_its_check_and_both_sides_are_written_afresh(
    project: Any, fault: dict[str, Any], check: str
) -> None:
    project.rows = project.rows[:1]
    project.rules = [{"match": REJECTED, "times": 1, **fault}, {"reply": FAIR}]
    (pair,), _ = project.generate()
    assert (pair.provenance.attempt, len(project.calls())) == (2, 4)
    failed = [each for each in pair.provenance.earlier_checks[0] if each.outcome == "fail"]
    assert [(each.name, each.side) for each in failed] == [(check, "rejected")]
    project.generate()
    assert len(project.calls()) == 4


def test_a_reject_for_want_of_a_reply_keeps_what_the_attempts_before_it_showed(project: Any) -> None:
    project.rows = project.rows[:1]
    fault = {"fault": {"kind": "bad_request", "message": "no"}}
    project.rules = [{"match": REJECTED, "times": 1, **TRUNCATED}, {"match": CHOSEN, "times": 1, "reply": FAIR}, fault]
    _, (reject,) = project.generate()
    assert (reject.stage, reject.checks) == ("pair", ())
    assert [each.name for each in reject.earlier_checks[0] if each.outcome == "fail"] == ["whole"]


def test_an_empty_answer_is_asked_again_and_then_rejected_where_there_is_no_gate(project: Any) -> None:
    project.tables["checks"] = {"mode": "off"}
    project.rules = [{"stage": "answer", "reply": "<think>hm</think>  "}]
    pairs, rejects = project.generate()
    assert not pairs
    assert "malformed reply, also after a corrective re-ask: empty" in rejects[0].reasons[0]


def test_thoughts_are_no_part_of_an_answer(project: Any) -> None:
    project.tables["checks"] = {"mode": "report"}
    project.rules = [{"stage": "answer", "reply": "<think>The rubric says so.</think>\nNoodles it is."}]
    pairs, _ = project.generate()
    assert pairs[0].chosen == "Noodles it is."


def long_posts(project: Any, new_row: Any, posts: int = 4) -> None:
    """Rows whose posts alone are more than a thousand tokens."""
    text = "I own a pot. " * 110
    profile = [{"category": "cooking", "id": f"p{post}", "text": f"Pots {post}. {text}"} for post in range(posts)]
    project.rows = [new_row(number, profile=profile) for number in range(3)]


def test_the_second_answer_waits_for_the_first_where_a_prompt_cache_would_hit(project: Any, new_row: Any) -> None:
    long_posts(project, new_row)
    project.rules = [{"match": CHOSEN, "reply": "Fry noodles.", "delay": 0.1}, {"reply": "Bake tarts."}]
    project.rows = project.rows[:1]
    project.generate()
    with Ledger(project.run.ledger) as ledger:
        (first, lasted), (second, _) = ledger.query("SELECT started, seconds FROM attempts ORDER BY id")
    assert lasted >= 0.1
    assert (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds() >= 0.1


def test_both_answers_go_out_at_once_where_no_cache_would_hit(project: Any) -> None:
    project.rules = [{"reply": FAIR, "delay": 0.1}]
    project.rows = project.rows[:1]
    project.generate()
    with Ledger(project.run.ledger) as ledger:
        (first,), (second,) = ledger.query("SELECT started FROM attempts ORDER BY id")
    assert (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds() < 0.1


def test_no_second_answer_is_paid_for_once_the_first_one_fails(project: Any, new_row: Any) -> None:
    long_posts(project, new_row)
    project.rows = project.rows[:1]
    project.rules = [
        {"match": CHOSEN, "reply": "As an AI I like tarts.", "times": 1},
        {"reply": FAIR},
    ]
    (pair,), _ = project.generate()
    assert (pair.provenance.attempt, len(project.calls())) == (2, 3)


MESSAGES = st.lists(st.text(st.sampled_from("ab\n"), max_size=30), min_size=1, max_size=3)


@given(MESSAGES, MESSAGES, st.integers(0, 6000))
def test_what_two_prompts_share_ends_at_a_line_and_is_really_shared(
    one: list[str], other: list[str], common: int
) -> None:
    prompts = [
        (*(Message("user", text) for text in texts[:-1]), Message("user", "x" * common + "\n" + texts[-1]))
        for texts in (one, other)
    ]
    shared = worth_caching(*prompts)
    first, second = (prompt[-1].content for prompt in prompts)
    assert first[:shared] == second[:shared]
    assert shared in (0, len(first)) or first[shared - 1] == "\n"
    assert shared == 0 or prompts[0][:-1] == prompts[1][:-1]
    if common >= 4 * 1024 and one[:-1] == other[:-1]:
        assert shared > common
