"""What the planner is asked."""

from __future__ import annotations

from prbgen.llm.planner import InferredReply, planner_request
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.schema import Post

POSTS = (Post(category="cooking", id="1", text="My oven broke."),)


def test_it_is_told_the_question_and_the_posts() -> None:
    request = planner_request("s/1", "Which cake?", POSTS, ModelSettings(name="openai/x"), Prompts())
    text = "".join(message.content for message in request.messages)
    assert "Which cake?" in text
    assert "My oven broke." in text
    assert (request.stage, request.item, request.sample, request.reply_type) == ("rubric", "s/1", 0, InferredReply)


def test_the_schema_stays_as_it_is_as_recorded_replies_are_found_by_it() -> None:
    phrase = {"type": "string"}
    aspect = {
        "additionalProperties": False,
        "description": "One aspect that the profile suggests.",
        "properties": {"aspect": phrase | {"title": "Aspect"}, "reason": phrase | {"title": "Reason"}},
        "required": ["aspect", "reason"],
        "title": "InferredAspect",
        "type": "object",
    }
    aspects = {
        "items": {"$ref": "#/$defs/InferredAspect"},
        "maxItems": 10,
        "minItems": 1,
        "title": "Aspects",
        "type": "array",
    }
    assert InferredReply.model_json_schema() == {
        "$defs": {"InferredAspect": aspect},
        "additionalProperties": False,
        "description": "What rubric_inferred.j2 asks for.",
        "properties": {"aspects": aspects},
        "required": ["aspects"],
        "title": "InferredReply",
        "type": "object",
    }
