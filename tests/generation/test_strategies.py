"""The four ways to break a rubric."""

from __future__ import annotations

from typing import Any

OTHER = [{"aspect": "Bakes bread slowly", "evidence": "bread", "reason": "It rises."}]


def opposites(*numbers: int) -> dict[str, Any]:
    return {"opposites": [{"number": n, "aspect": f"Opposite {n}", "reason": "Why not."} for n in numbers]}


def test_avoid_names_the_same_aspects_as_ones_to_leave_out(project: Any) -> None:
    pairs, _ = project.generate()
    assert pairs[0].provenance.rejected_aspects == pairs[0].rubric_aspects


def test_counter_keeps_to_the_opposite_of_each_aspect_in_their_order(project: Any) -> None:
    project.tables["pair"] = {"strategy": "counter"}
    project.rules = [
        {"stage": "counter", "reply": opposites(2, 1)},
        {"stage": "answer", "match": "cover each of these points[^~]*Opposite 1", "reply": "Bake it."},
        {"stage": "answer", "match": "cover each of these points[^~]*Needs no oven", "reply": "Fry it."},
    ]
    pairs, rejects = project.generate()
    assert not rejects
    assert {(pair.chosen, pair.rejected) for pair in pairs} == {("Fry it.", "Bake it.")}
    assert [aspect.aspect for aspect in pairs[0].provenance.rejected_aspects] == ["Opposite 1", "Opposite 2"]
    assert set(pairs[0].provenance.prompts) == {"answer", "correct", "counter"}


def test_counter_re_asks_for_missing_opposites_and_then_rejects(project: Any) -> None:
    project.tables["pair"] = {"strategy": "counter"}
    project.rules.append({"stage": "counter", "reply": opposites(1, 1)})
    pairs, rejects = project.generate()
    assert not pairs
    assert [(reject.stage, reject.attempts, reject.reasons) for reject in rejects] == [
        ("pair", 2, ("the model gave no opposite for each aspect",))
    ] * 3


def test_swap_takes_the_rubric_of_another_users_most_similar_question(project: Any, new_row: Any) -> None:
    shared = {"category": "cooking", "id": "x", "text": "I bake bread every day and I tell everybody about it. " * 5}
    project.tables["pair"] = {"strategy": "swap"}
    project.rows = [
        new_row(0, question="Which rye bread keeps long?", profile=[shared]),
        new_row(1, question="Which rye bread keeps very long?", profile=[shared]),
        new_row(2, question="How do I keep my rye starter?", rubric_aspects=OTHER),
        new_row(3, question="Which paint suits wood?"),
    ]
    pairs, rejects = project.generate()
    taken = {pair.id: pair.provenance.rejected_from for pair in pairs}
    # The most similar question is the same user's: it does not count.
    assert taken["1_0_0"] == "Lifestyle_and_Personal_Development/1_2_0"
    assert [a.model_dump() for a in pairs[0].provenance.rejected_aspects] == OTHER
    assert not [reject for reject in rejects if reject.id in ("1_0_0", "1_1_0")]


def test_swap_looks_at_the_whole_source_whatever_the_limit(project: Any, new_row: Any) -> None:
    project.tables["pair"] = {"strategy": "swap"}
    project.tables["source"] = {"limit": 1}
    project.rows = [new_row(0), new_row(1, rubric_aspects=OTHER)]
    pairs, _ = project.generate()
    assert [pair.provenance.rejected_from for pair in pairs] == ["Lifestyle_and_Personal_Development/1_1_0"]


def test_swap_rejects_a_question_that_resembles_no_other_users(project: Any, new_row: Any) -> None:
    project.tables["pair"] = {"strategy": "swap"}
    project.rows = [new_row(0, question="Which rye?"), new_row(1, question="How to paint?")]
    pairs, rejects = project.generate()
    assert not pairs
    assert [reject.reasons for reject in rejects] == [
        ("no other user's question resembles this one, so there is no rubric to swap in",)
    ] * 2


def test_generic_gives_the_rejected_answer_no_aspects_but_the_same_profile(project: Any) -> None:
    project.tables["pair"] = {"strategy": "generic"}
    project.rules = [
        {"stage": "answer", "match": "cover each of these points", "reply": "Fry it."},
        {"stage": "answer", "match": "pots and a stove", "reply": "Eat out."},
    ]
    pairs, _ = project.generate()
    assert {(pair.chosen, pair.rejected) for pair in pairs} == {("Fry it.", "Eat out.")}
    assert pairs[0].provenance.rejected_aspects == ()
