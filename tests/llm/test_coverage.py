"""What the judge of adherence is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.llm.coverage import AspectScore, CoverageReply, coverage_request, covered
from prbgen.llm.fingerprint import fingerprint
from prbgen.llm.gateway import Request
from prbgen.llm.model import Call, Message
from prbgen.llm.reply import Problem, parse
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.schema import RubricAspect

MODEL = ModelSettings.model_validate({"name": "openai/x", "temperature": 0})
ASPECTS = (
    RubricAspect(aspect="Needs no oven", evidence="My oven broke", reason="There is none."),
    RubricAspect(aspect="Has no onions", evidence=None, reason=None),
)


def request() -> Request[CoverageReply]:
    return coverage_request("s/1", "Which supper?", "My oven broke.", ASPECTS, "Noodles.", MODEL, Prompts())


def test_it_is_told_question_narrative_aspects_and_one_answer() -> None:
    asked = request()
    text = "".join(message.content for message in asked.messages)
    for shown in ("Which supper?", "My oven broke.", "1. Needs no oven", "2. Has no onions", "Noodles."):
        assert shown in text
    assert (asked.stage, asked.item, asked.sample, asked.attempts) == ("coverage", "s/1", 0, 1)


def test_the_form_of_its_reply_stays_as_it_is_as_recorded_replies_are_found_by_it() -> None:
    # If this fails, no judgement in any ledger out there is found again.
    call = Call(MODEL, (Message("user", "Judge."),), "coverage", schema=CoverageReply.model_json_schema(), sample=3)
    assert fingerprint(call) == "067d496a78509bbe2e332647fd495e45"


@pytest.mark.parametrize("numbers", [(1,), (1, 1), (1, 3), (1, 2, 3), (0, 1)])
def test_a_reply_that_does_not_score_every_aspect_once_is_not_complete(numbers: tuple[int, ...]) -> None:
    reply = CoverageReply(aspects=[AspectScore(number=number, found="", score=2) for number in numbers])
    assert request().check(reply) == Problem("missing", {"count": 2})


@given(st.permutations(range(1, 6)), st.lists(st.sampled_from((0, 1, 2)), min_size=5, max_size=5))
def test_scores_are_in_the_order_of_the_rubric_whatever_that_of_the_reply(order: list[int], marks: list[int]) -> None:
    aspects = [{"number": str(number), "found": "so", "score": marks[number - 1]} for number in order]
    reply = parse(f"Well: {CoverageReply.model_validate({'aspects': aspects}).model_dump_json()}", CoverageReply)
    assert isinstance(reply, CoverageReply)
    assert reply.scores == tuple(marks)
    assert covered(reply.scores) == sum(marks) / 10


@pytest.mark.parametrize("score", ["true", "3", '"two"', "null", "-1", "[2]", "1.5"])
def test_what_is_no_score_is_none(score: str) -> None:
    text = f'{{"aspects": [{{"number": 1, "found": "so", "score": {score}}}]}}'
    assert isinstance(parse(text, CoverageReply), Problem)


def test_an_estimate_assumes_a_complete_reply() -> None:
    asked = request()
    assert asked.check(asked.assumed) is None
