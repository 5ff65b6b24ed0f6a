"""The two answers of a pair."""

from __future__ import annotations

from typing import Any

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
    project.tables["pair"] = {"words": 30}
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
    project.tables["pair"] = {"words": 30}
    project.rules = [{"stage": "answer", "reply": new_answer(48)}]
    pairs, _ = project.generate()
    assert pairs[0].chosen == new_answer(30)
    words = next(check for check in pairs[0].checks if check.name == "words" and check.side == "rejected")
    assert (words.outcome, words.figure, words.detail) == ("pass", 30, "cut at a sentence end from 48 words")


def test_gate_writes_both_sides_afresh_and_takes_the_first_attempt_that_passes(project: Any) -> None:
    project.rules = [
        # The rejected side fails at first, also after its re-ask.
        {"stage": "answer", "match": REJECTED, "reply": "As an AI I like tarts.", "times": 2},
        {"stage": "answer", "reply": "Noodles number {sample} it is."},
    ]
    project.rows = project.rows[:1]
    (pair,), _ = project.generate()
    assert pair.provenance.attempt == 2
    assert (pair.chosen, pair.rejected) == ("Noodles number 1 it is.", "Noodles number 1 it is.")


def test_gate_rejects_with_all_figures_when_no_attempt_passes(project: Any) -> None:
    project.rules = [
        {"stage": "answer", "match": CHOSEN, "reply": "Noodles it is."},
        {"stage": "answer", "match": REJECTED, "reply": "As an AI, I would bake."},
    ]
    pairs, rejects = project.generate()
    assert not pairs
    assert [(reject.stage, reject.attempts) for reject in rejects] == [("check", 3)] * 3
    assert rejects[0].reasons == ("rejected: talk (passage: As an AI)",)
    assert len(rejects[0].checks) == 4
    # Three attempts of two sides each, and a re-ask of the failing one.
    assert len(project.calls()) == 3 * 3 * (1 + 2)


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


def test_truncated_and_filtered_replies_are_outcomes_of_their_own_and_not_asked_again(project: Any) -> None:
    project.rules = [
        {"stage": "answer", "match": "day 0", "reply": "Fry some", "finish": "length"},
        {"stage": "answer", "match": "day 1", "reply": "I can't", "finish": "filtered"},
        {"stage": "answer", "reply": "Noodles it is."},
    ]
    pairs, rejects = project.generate()
    assert len(pairs) == 1
    assert [reject.stage for reject in rejects] == ["pair", "pair"]
    assert "max_tokens" in rejects[0].reasons[0]
    assert "refused" in rejects[1].reasons[0]
    assert len(project.calls()) == 6
    project.generate()
    assert len(project.calls()) == 6


def test_an_empty_answer_is_asked_again_and_then_rejected_in_every_mode(project: Any) -> None:
    project.tables["checks"] = {"mode": "off"}
    project.rules = [{"stage": "answer", "reply": "<think>hm</think>  "}]
    pairs, rejects = project.generate()
    assert not pairs
    assert "malformed reply, also after a corrective re-ask: empty" in rejects[0].reasons[0]


def test_thoughts_are_no_part_of_an_answer(project: Any) -> None:
    project.rules = [{"stage": "answer", "reply": "<think>The rubric says so.</think>\nNoodles it is."}]
    pairs, _ = project.generate()
    assert pairs[0].chosen == "Noodles it is."
