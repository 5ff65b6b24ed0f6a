"""Where rubrics come from."""

from __future__ import annotations

from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.generation.rubric import ExtractedReply
from prbgen.generation.strategies.counter import OppositesReply
from prbgen.llm.planner import InferredReply
from prbgen.llm.reply import ReplyType


def extracted(*evidences: str) -> dict[str, Any]:
    return {"aspects": [{"aspect": f"Heed {e[:9]}", "evidence": e, "reason": "It matters."} for e in evidences]}


def test_a_gold_rubric_is_taken_as_it_is_without_any_call(project: Any) -> None:
    pairs, rejects = project.generate()
    assert not rejects
    assert [aspect.model_dump() for aspect in pairs[0].rubric_aspects] == project.rows[0]["rubric_aspects"]
    assert pairs[0].provenance.rubric_kind == "gold"
    assert {call["stage"] for call in project.calls()} == {"answer"}


def test_gold_falls_back_to_extraction_where_a_row_has_no_rubric(project: Any, new_row: Any) -> None:
    project.rows = [new_row(0, rubric_aspects=None), new_row(1)]
    project.rules.append({"stage": "rubric", "reply": extracted("My oven broke last spring.")})
    pairs, _ = project.generate()
    assert [pair.provenance.rubric_kind for pair in pairs] == ["extracted", "gold"]
    assert pairs[0].provenance.rubric_model == "scripted/model.jsonl"


def test_evidence_is_stored_as_it_stands_in_the_narrative(project: Any, new_row: Any) -> None:
    project.tables["rubric"] = {"kind": "extracted"}
    project.rows = [new_row(0, narrative="It’s my oven:\nit “broke” last spring, and I cannot mend it.")]
    project.rules.append({"stage": "rubric", "reply": extracted('It\'s my oven: it "broke" last spring')})
    pairs, _ = project.generate()
    assert pairs[0].rubric_aspects[0].evidence == "It’s my oven:\nit “broke” last spring"


def test_a_misquote_is_asked_again_with_its_passage_and_the_corrected_reply_is_taken(project: Any) -> None:
    project.tables["rubric"] = {"kind": "extracted"}
    project.rules += [
        {
            "stage": "rubric",
            "match": "do not stand in the description.*The oven is broken",
            "reply": extracted("My oven broke last spring."),
        },
        {"stage": "rubric", "reply": extracted("The oven is broken", "a toddler who hates onions")},
    ]
    pairs, _ = project.generate()
    assert [aspect.evidence for aspect in pairs[0].rubric_aspects] == ["My oven broke last spring."]
    assert pairs[0].provenance.aspects_dropped == 0
    assert len(pairs[0].provenance.calls["rubric"]) == 2


def test_an_aspect_that_is_still_misquoted_is_dropped_and_counted(project: Any) -> None:
    project.tables["rubric"] = {"kind": "extracted"}
    project.rules.append({"stage": "rubric", "reply": extracted("The oven is broken", "a toddler who hates onions")})
    pairs, _ = project.generate()
    assert [aspect.evidence for aspect in pairs[0].rubric_aspects] == ["a toddler who hates onions"]
    assert pairs[0].provenance.aspects_dropped == 1


def test_a_rubric_without_any_true_quote_is_rejected(project: Any) -> None:
    project.tables["rubric"] = {"kind": "extracted"}
    project.rules.append({"stage": "rubric", "reply": extracted("The oven is broken")})
    pairs, rejects = project.generate()
    assert not pairs
    assert {(reject.stage, reject.reasons, reject.attempts) for reject in rejects} == {
        ("rubric", ("none of the 1 extracted aspects quotes the narrative",), 2)
    }


def test_the_planner_sees_question_and_posts_but_neither_narrative_nor_gold_aspects(project: Any) -> None:
    project.tables["rubric"] = {"kind": "inferred"}
    project.rules += [
        {"stage": "rubric", "match": "lift|toddler|Needs no oven", "fault": {"kind": "bad_request", "message": "leak"}},
        {
            "stage": "rubric",
            "match": "day 1.*|pots and a stove",
            "reply": {"aspects": [{"aspect": "Few pots", "reason": "Pots."}]},
        },
    ]
    pairs, rejects = project.generate()
    assert not rejects
    assert [(aspect.aspect, aspect.evidence) for aspect in pairs[1].rubric_aspects] == [("Few pots", None)]
    assert pairs[1].provenance.rubric_kind == "inferred"


@pytest.mark.parametrize(
    ("kind", "changes", "reason"),
    [
        ("gold", {"rubric_aspects": None, "narrative": None}, "the row has neither rubric nor narrative"),
        ("extracted", {"narrative": None}, "the row has no narrative to extract a rubric from"),
    ],
)
def test_a_row_with_nothing_to_take_a_rubric_from_is_rejected_by_name(
    project: Any, new_row: Any, kind: str, changes: dict[str, Any], reason: str
) -> None:
    project.tables["rubric"] = {"kind": kind}
    project.rows = [new_row(0, **changes)]
    _, rejects = project.generate()
    assert [(reject.id, reject.stage, reject.reasons) for reject in rejects] == [("1_0_0", "rubric", (reason,))]


def test_a_recipe_without_the_rubric_model_that_it_needs_is_refused_before_any_call(project: Any) -> None:
    project.tables["rubric"] = {"kind": "inferred"}
    recipe = project.write()
    text = recipe.read_text().replace('rubric = "scripted/model.jsonl"\n', "")
    project.write = lambda: recipe
    recipe.write_text(text)
    with pytest.raises(InputError, match=r"\[models\] rubric"):
        project.generate()
    assert not project.calls()


@pytest.mark.parametrize("reply_type", [ExtractedReply, InferredReply, OppositesReply])
def test_the_schema_of_a_reply_keeps_to_what_strict_modes_take(reply_type: type[ReplyType]) -> None:
    schema = reply_type.model_json_schema()
    for each in (schema, *schema["$defs"].values()):
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])
        for field in each["properties"].values():
            assert not field.keys() & {"minLength", "maxLength", "pattern", "default"}


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_aspect_is_no_reply(blank: str) -> None:
    with pytest.raises(ValueError, match="is empty"):
        InferredReply.model_validate({"aspects": [{"aspect": blank, "reason": "Why not."}]})
