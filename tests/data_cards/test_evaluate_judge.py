"""The evaluation script with judges: an embedded model, and providers that misbehave."""

from __future__ import annotations

import asyncio
import json
from argparse import Namespace
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest
from aiohttp import web

from prbgen.llm.transports.local import LocalServer
from tests.data_cards.rows import (
    SECRET_ASPECT,
    SECRET_NARRATIVE,
    Evaluate,
    Publish,
    pair,
    six,
)
from tests.provider import Provider, serving


@pytest.fixture(scope="module")
def smollm() -> Iterator[str]:
    server = LocalServer("local/smollm2-135m", slots=2, context=4096)
    yield asyncio.run(server.base_url())
    server.stop()


def test_a_real_judge_answers_in_both_orders(publish: Publish, evaluate: Evaluate, smollm: str) -> None:
    words = ("--scorer", "judge:openai/local", "--api-base", smollm, "--workers", 2)
    done = evaluate(publish(six()[:3]), *words, "--condition", "profile", "--posts", 1)
    assert done.code == 0, done.said
    assert done.result["unscored"] == 0
    for item in done.result["items"]:
        said = (item["verdict_ab"], item["verdict_ba"])
        assert item["outcome"] == {("A", "B"): "win", ("B", "A"): "loss"}.get(said, "tie")
        assert set(said) <= {"A", "B"}
    assert done.result["order_consistency"] == pytest.approx(1 - done.result["ties"] / 3)
    assert set(done.result["versions"]) == {"python", "datasets", "numpy", "litellm"}


def replying(reply: Callable[[str], str | int]) -> Provider:
    """A judge that replies with a text, or a status, that depends on the prompt."""

    async def fault(request: web.Request, prompt: str, number: int) -> web.StreamResponse:
        text = (await request.json())["messages"][0]["content"]
        content = reply(text)
        if isinstance(content, int):
            return web.json_response({"error": {"message": "no: sk-never-shown"}}, status=content)
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return web.json_response(
            {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        )

    return Provider(fault=fault)


def test_verdicts_are_read_from_the_structured_reply_alone(publish: Publish, evaluate: Evaluate) -> None:
    def reply(text: str) -> str:
        if "these 1 novels" in text:
            return "The verdict is A."
        if "these 2 novels" in text:
            return '```json\n{"verdict": "A"}\n```'
        if "these 3 novels" in text:
            return "[" * 50_000
        if "these 4 novels" in text:
            return '{"verdict": "A"}'
        first, second = text.index("Begin with number"), text.index("Then not the")
        verdict = json.dumps({"verdict": "A" if first < second else "B"})
        return f'<think>Or {{"verdict": "B"}}?</think>\n{verdict}' if "these 5 novels" in text else verdict

    with serving(replying(reply)) as provider:
        words = ("--scorer", "judge:openai/mine", "--api-base", provider.url, "--condition", "none", "--workers", 1)
        done = evaluate(publish([pair(n) for n in range(6)]), *words)
    assert done.code == 0, done.said
    assert [item["outcome"] for item in done.result["items"]] == ["win", *["unscored"] * 3, "tie", "win"]
    for item in done.result["items"][1:4]:
        assert "not the verdict that was asked for" in item["reason"]
    assert done.result["order_consistency"] == pytest.approx(2 / 3)
    assert done.result["accuracy"]["value"] == 2 / 3
    assert done.result["bounds"] == [2 / 6, 5 / 6]
    for body in provider.bodies:
        assert body["temperature"] == 0
        assert body["response_format"]["json_schema"]["schema"]["properties"]["verdict"]["enum"] == ["A", "B"]
        assert SECRET_NARRATIVE not in json.dumps(body)
        assert SECRET_ASPECT not in json.dumps(body)


def test_a_judge_that_never_follows_the_format_is_given_up_with_an_example(
    publish: Publish, evaluate: Evaluate
) -> None:
    with serving(replying(lambda text: "I like A more.")) as provider:
        words = ("--scorer", "judge:openai/mine", "--api-base", provider.url, "--condition", "none", "--workers", 1)
        done = evaluate(publish([pair(n) for n in range(14)]), *words)
    assert (done.code, done.result) == (2, None)
    assert "none of 10 pairs scored" in done.said
    assert "I like A more." in done.said
    assert len(provider.bodies) < 14


def test_a_refused_key_ends_it_at_once_and_is_not_repeated(publish: Publish, evaluate: Evaluate) -> None:
    with serving(replying(lambda text: 401)) as provider:
        words = ("--scorer", "judge:openai/mine", "--api-base", provider.url, "--condition", "none", "--workers", 1)
        done = evaluate(publish([pair(n) for n in range(14)]), *words)
    assert (done.code, done.result) == (2, None)
    assert "AuthenticationError" in done.said
    assert len(provider.bodies) < 4


def test_what_passes_is_tried_again_and_what_does_not_is_unscored(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "WAITS", (0.0, 0.0))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-shown")
    statuses = iter([503, 429, 500, 500, 500, 400])

    def reply(text: str) -> str | int:
        return next(statuses, '{"verdict": "A"}')

    with serving(replying(lambda text: '{"verdict": "A"}')) as fine, serving(replying(reply)) as faulty:
        options = Namespace(api_base=fine.url, max_tokens=8192, condition="none", posts=10)
        assert (
            script.evaluate(script.judge("openai/mine", options), options, "Art", pair(0).model_dump())["reason"]
            is None
        )
        options.api_base = faulty.url
        score = script.judge("openai/mine", options)
        statuses = iter([503, 429])
        assert script.evaluate(score, options, "Art", pair(1).model_dump())["outcome"] == "tie"
        for codes, name in (([500, 500, 500], "InternalServerError"), ([400], "BadRequestError")):
            statuses = iter(codes)
            item = script.evaluate(score, options, "Art", pair(2).model_dump())
            assert item["outcome"] == "unscored"
            assert name in item["reason"]
            assert "sk-never-shown" not in item["reason"]
            assert not list(statuses)
        # A key that has worked is not the reason.
        statuses = iter([403])
        assert "the call failed" in script.evaluate(score, options, "Art", pair(2).model_dump())["reason"]
