"""The judge of a pair, through whole runs with a scripted model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prbgen.llm.ledger import Ledger
from prbgen.schema import Check, Pair

CHOSEN = "Fry thin noodles in a hot pan with greens and a soft egg, no oven is needed for this supper."
REJECTED = "Bake a tart of sliced onions on puff pastry until golden, then serve it warm with a crisp salad."
ASK_CHOSEN = "cover each of these points"
NARRATIVE, REASON = "My oven broke last spring", "The child won't eat"


def quality(factuality: int, relevance: int, helpfulness: int) -> dict[str, Any]:
    scores = {"factuality": factuality, "relevance": relevance, "helpfulness": helpfulness}
    return {"remarks": "Fine.", **scores}


def coverage(*scores: int) -> dict[str, Any]:
    return {"aspects": [{"number": n, "found": "so", "score": score} for n, score in enumerate(scores, 1)]}


GOOD = [
    {"stage": "quality", "reply": quality(5, 5, 4)},
    {"stage": "coverage", "match": "Fry thin noodles", "reply": coverage(2, 2)},
    {"stage": "coverage", "reply": coverage(0, 1)},
]


@pytest.fixture
def judged(project: Any) -> Any:
    """One question, two answers by a writer, and a judge whose rules a test prepends to."""
    project.rows = project.rows[:1]
    project.rules = [
        {"stage": "answer", "match": ASK_CHOSEN, "reply": CHOSEN},
        {"stage": "answer", "reply": REJECTED},
    ]
    project.tables["models"] = {"judge": "scripted/judge.jsonl"}
    return project


def run(project: Any, *rules: dict[str, Any], **checks: Any) -> tuple[list[Pair], list[Any]]:
    """Generate with a judge that goes by these rules, then by the good ones."""
    lines = [{"record": "judged.jsonl"}, *rules, *GOOD]
    (project.folder / "judge.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    if checks:
        project.tables["checks"] = checks
    return project.generate()  # type: ignore[no-any-return]


def calls(project: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.folder / "judged.jsonl").read_text().splitlines()]


def found(pair: Any, name: str, side: str | None) -> Check:
    checks: tuple[Check, ...] = pair.checks
    return next(check for check in checks if (check.name, check.side) == (name, side))


def test_a_judged_pair_has_all_figures_and_the_scores_behind_them(judged: Any) -> None:
    (pair,), rejects = run(judged)
    assert not rejects
    assert found(pair, "quality", "chosen").scores == (5, 5, 4)
    assert found(pair, "quality", "rejected").figure == pytest.approx(14 / 3, abs=1e-4)
    assert found(pair, "quality_gap", None).figure == 0
    assert (found(pair, "coverage", "chosen").figure, found(pair, "coverage", "chosen").scores) == (1, (2, 2))
    assert (found(pair, "coverage", "rejected").figure, found(pair, "coverage", "rejected").scores) == (0.25, (0, 1))
    assert found(pair, "coverage_gap", None).figure == 0.75
    assert {check.outcome for check in pair.checks} == {"pass"}
    assert pair.provenance.judge == "scripted/judge.jsonl"
    assert len(pair.provenance.calls["judge"]) == len(calls(judged)) == 4
    assert {"judge_quality", "judge_coverage"} <= set(pair.provenance.prompts)


def test_who_judges_quality_sees_question_and_one_answer_and_nothing_of_the_asker(judged: Any) -> None:
    run(judged)
    texts = [each["text"] for each in calls(judged) if each["stage"] == "quality"]
    assert len(texts) == 2
    for text in texts:
        assert "What could I cook for supper on day 0?" in text
        assert (CHOSEN in text) != (REJECTED in text)
        for hidden in (NARRATIVE, REASON, "Needs no oven", "Pots", "stove", "chosen", "rejected", "rubric", "avoid"):
            assert hidden not in text


def test_who_judges_adherence_sees_one_answer_with_narrative_and_aspects_but_no_side_and_no_posts(judged: Any) -> None:
    run(judged)
    texts = [each["text"] for each in calls(judged) if each["stage"] == "coverage"]
    assert len(texts) == 2
    for text in texts:
        assert (CHOSEN in text) != (REJECTED in text)
        for shown in (NARRATIVE, REASON, "1. Needs no oven", "a toddler who hates onions"):
            assert shown in text
        for hidden in ("Pots", "chosen", "rejected", "avoid"):
            assert hidden not in text


@pytest.mark.parametrize(
    ("rules", "name", "side", "figure"),
    [
        ([{"stage": "quality", "match": "Bake a tart", "reply": quality(4, 4, 3)}], "quality", "rejected", 3.6667),
        ([{"stage": "quality", "match": "Fry thin", "reply": quality(3, 3, 3)}], "quality", "chosen", 3),
        ([{"stage": "quality", "match": "Bake a tart", "reply": quality(4, 4, 4)}], "quality_gap", None, 0.6667),
        ([{"stage": "quality", "match": "Fry thin", "reply": quality(4, 4, 4)}], "quality_gap", None, -0.6667),
        ([{"stage": "coverage", "match": "Fry thin", "reply": coverage(1, 1)}], "coverage", "chosen", 0.5),
        ([{"stage": "coverage", "match": "Bake a tart", "reply": coverage(1, 1)}], "coverage", "rejected", 0.5),
        ([{"stage": "coverage", "reply": coverage(2, 2)}], "coverage_gap", None, 0),
    ],
)
def test_what_falls_short_fails_its_check_with_the_figure(
    judged: Any, rules: list[dict[str, Any]], name: str, side: str | None, figure: float
) -> None:
    (pair,), _ = run(judged, *rules, mode="report")
    check = found(pair, name, side)
    assert (check.outcome, check.figure) == ("fail", figure)
    pairs, rejects = run(judged, *rules, mode="gate")
    assert not pairs
    assert f"{name} fails ({side or 'the pair'})" in rejects[0].reasons
    assert (name, side, figure) in [(each.name, each.side, each.figure) for each in rejects[0].checks]


@pytest.mark.parametrize(("strategy", "outcome"), [("avoid", "fail"), ("generic", "pass")])
def test_the_bar_for_rejected_holds_where_it_was_told_to_do_without_the_aspects(
    judged: Any, strategy: str, outcome: str
) -> None:
    judged.tables["pair"] = {"strategy": strategy}
    (pair,), _ = run(judged, {"stage": "coverage", "match": "Bake", "reply": coverage(1, 1)}, mode="report")
    check = found(pair, "coverage", "rejected")
    assert (check.outcome, check.figure) == (outcome, 0.5)


@pytest.mark.parametrize(
    "fault",
    [
        {"reply": "I would say four out of five."},
        {"reply": quality(5, 5, 5) | {"factuality": 7}},
        {"reply": coverage(2)},
        {"reply": coverage(2, 2, 2)},
        {"reply": "{", "finish": "length"},
        {"reply": "No.", "finish": "filtered"},
    ],
)
def test_a_judge_that_cannot_be_parsed_could_not_tell_and_the_pair_goes_on_marked(
    judged: Any, fault: dict[str, Any]
) -> None:
    (pair,), rejects = run(judged, fault)
    assert not rejects
    unknown = {(check.name, check.side) for check in pair.checks if check.outcome == "unknown"}
    assert {("coverage", "chosen"), ("coverage", "rejected"), ("coverage_gap", None)} <= unknown
    check = found(pair, "coverage", "chosen")
    assert (check.figure, check.scores) == (None, ())
    assert check.detail
    assert "the judge gave no usable reply" in check.detail
    before = len(calls(judged))
    run(judged, fault)
    assert len(calls(judged)) == before


def test_a_judge_that_does_not_answer_at_all_rejects_the_pair_until_another_run(judged: Any) -> None:
    fault = {"stage": "quality", "fault": {"kind": "bad_request", "message": "no"}}
    pairs, rejects = run(judged, fault)
    assert not pairs
    assert rejects[0].stage == "check"
    pairs, rejects = run(judged)
    assert (len(pairs), rejects) == (1, [])


def test_what_fails_a_text_check_is_not_judged_before_it_is_written_again(judged: Any) -> None:
    judged.rules.insert(0, {"stage": "answer", "match": ASK_CHOSEN, "reply": "As an AI, I fry.", "times": 1})
    (pair,), _ = run(judged)
    assert pair.provenance.attempt == 2
    assert len(calls(judged)) == 4


def test_a_pair_that_the_judge_fails_is_written_afresh_on_both_sides_and_judged_again(judged: Any) -> None:
    judged.rules.insert(0, {"stage": "answer", "match": ASK_CHOSEN, "reply": CHOSEN.upper(), "times": 1})
    (pair,), _ = run(judged, {"stage": "coverage", "match": "FRY THIN", "reply": coverage(0, 0)})
    assert (pair.provenance.attempt, pair.chosen) == (2, CHOSEN)
    assert len(judged.calls()) == 4
    earlier = [(check.name, check.side) for check in pair.provenance.earlier_checks[0] if check.outcome == "fail"]
    assert earlier == [("coverage", "chosen"), ("coverage_gap", None)]


@pytest.mark.parametrize("figure", ["5", 5])
def test_a_figure_in_quotation_marks_counts(judged: Any, figure: Any) -> None:
    (pair,), _ = run(judged, {"stage": "quality", "reply": quality(5, 5, 5) | {"factuality": figure}})
    assert found(pair, "quality", "chosen").scores == (5, 5, 5)
    assert len(calls(judged)) == 4


@pytest.mark.parametrize("figure", [True, 4.5, "five", "55", None, [5], 0, 6])
def test_what_is_no_figure_of_the_scale_is_none(judged: Any, figure: Any) -> None:
    (pair,), _ = run(judged, {"stage": "quality", "reply": quality(5, 5, 5) | {"factuality": figure}})
    assert found(pair, "quality", "chosen").outcome == "unknown"


def test_another_judge_is_said_before_anything_is_judged_anew(judged: Any) -> None:
    run(judged)
    judged.generate()
    assert judged.said == []
    judged.tables["models"] = {"judge": "scripted/other.jsonl"}
    (judged.folder / "other.jsonl").write_text("".join(json.dumps(line) + "\n" for line in GOOD))
    judged.generate()
    judged.tables["models"] = {}
    judged.generate()
    assert judged.said == [
        "1 pairs of this run were judged by scripted/judge.jsonl: those that are asked for now are judged by"
        " scripted/other.jsonl instead",
        "1 pairs of this run were judged by scripted/other.jsonl: those that are asked for now are judged by no model"
        " instead",
    ]


def test_without_checks_nobody_is_asked_to_judge(judged: Any) -> None:
    (pair,), _ = run(judged, mode="off")
    assert (pair.checks, pair.provenance.judge) == ((), None)
    assert not (judged.folder / "judged.jsonl").exists()


def test_a_judge_of_the_writers_own_family_draws_a_warning(judged: Any) -> None:
    run(judged)
    assert judged.said == []
    judged.tables["models"] = {"judge": "scripted/model.jsonl"}
    judged.rules += GOOD
    judged.generate()
    assert any("judges favour their own" in line for line in judged.said)


def test_judges_calls_are_on_record_by_stage(judged: Any) -> None:
    run(judged)
    with Ledger(judged.run.ledger, read_only=True) as ledger:
        rows = ledger.query("SELECT stage, count(*) FROM attempts GROUP BY stage ORDER BY stage")
    assert [tuple(row) for row in rows] == [("answer", 2), ("coverage", 2), ("quality", 2)]
