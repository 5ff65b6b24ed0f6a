"""What only OpenAI's batches do: whole batches that are refused, and limits of what may wait there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import ModelError
from prbgen.llm.batch.openai_batches import OpenAIBatches, _arrival, _outcome
from prbgen.llm.batch.provider import Size
from prbgen.llm.model import Call, Message
from prbgen.llm.transports.litellm_transport import LiteLLMTransport
from prbgen.model_settings import ModelSettings
from tests.llm.batch.desk import Desk
from tests.llm.batch.providers_stand_in import ProvidersStandIn, prompt_of

ITEMS = [f"question {n}" for n in range(12)]
REPLIES = [f"reply to {item}" for item in ITEMS]


@pytest.fixture
def desk(tmp_path: Path, server: ProvidersStandIn) -> Desk:
    return Desk(tmp_path, server.url, "openai")


def test_a_batch_that_fails_validation_stops_the_run_in_one_line(desk: Desk, server: ProvidersStandIn) -> None:
    server.refuses = [{"code": "invalid_json_line", "message": "This line is\nno JSON", "line": 3}]
    with pytest.raises(ModelError, match=r"openai refused the whole batch: This line is no JSON \(line 3\)$"):
        desk.run(ITEMS)
    assert desk.rows() == [("bad_request", 12)]
    assert desk.committed() == (0, 0)
    server.refuses = []
    assert desk.run(ITEMS) == REPLIES


def test_batches_wait_for_each_other_where_only_so_much_may_be_enqueued(desk: Desk, server: ProvidersStandIn) -> None:
    server.room = 4
    server.looks = 2
    assert desk.run(ITEMS, most=Size(4, 10**6)) == REPLIES
    assert set(server.asked().values()) == {1}
    assert desk.rows("count(DISTINCT key)", "WHERE outcome = 'stop'") == [(12,)]


def test_a_batch_that_is_too_much_at_once_is_halved(desk: Desk, server: ProvidersStandIn) -> None:
    server.room = 4
    assert desk.run(ITEMS) == REPLIES
    taken = [batch for batch in server.batches if batch.provider == "openai"]
    assert [len(batch.requests) for batch in taken] == [3, 3, 3, 3]


def test_a_single_call_that_is_too_much_stops_the_run(desk: Desk, server: ProvidersStandIn) -> None:
    server.room = 0
    with pytest.raises(ModelError, match="Enqueued token limit reached"):
        desk.run(ITEMS)
    assert desk.committed() == (0, 0)


def test_a_refusal_by_a_content_filter_is_a_filtered_reply(desk: Desk, server: ProvidersStandIn) -> None:
    error = {"code": "content_policy_violation", "message": "not this"}
    server.answer = lambda body: (
        {"status": 400, "error": error} if prompt_of(body) == "a" else {"refusal": "I won't", "text": None}
    )
    desk.run(["a", "b"])
    assert desk.rows("reply, outcome", "ORDER BY item") == [("not this", "filtered"), ("I won't", "filtered")]


@pytest.mark.parametrize("body", [{}, {"choices": []}, {"choices": [{"message": None}]}, {"choices": "x"}])
def test_a_reply_without_its_parts_is_a_fault_that_may_pass(body: dict[str, Any]) -> None:
    record = {"custom_id": "k", "response": {"status_code": 200, "body": body}}
    assert getattr(_outcome(record), "kind", None) == "server"


@pytest.mark.parametrize(
    "line", [b"", b" \r", b"[]", b"{}", b'{"custom_id": 7, "response": {}}', b"null", b'{"custom_id": "k']
)
def test_lines_that_are_nobodys_are_passed_over(line: bytes) -> None:
    assert _arrival(line) is None


SCHEMA = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("schema", [None, SCHEMA])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"temperature": 0.7, "max_tokens": 40, "top_p": 0.9, "stop": ["END"]},
        {"extra_body": {"repetition_penalty": 1.2}, "extra_headers": {"x-trace": "1"}, "timeout": 5},
        {"api_key": "os.environ/OPENAI_API_KEY", "user": "me", "seed": 9},
    ],
)
async def test_the_request_is_the_one_that_the_online_route_sends(
    server: ProvidersStandIn, schema: dict[str, object] | None, settings: dict[str, Any]
) -> None:
    model = ModelSettings(name="openai/gpt-4o-mini", api_base=server.openai, **settings)
    call = Call(model, (Message("system", "Be brief."), Message("user", "Why?")), "answer", schema=schema, sample=3)
    transport = LiteLLMTransport()
    await transport.complete(call)
    await transport.close()
    request = OpenAIBatches(model).request(call, "k")
    assert request.pop("body") == server.online[0]
    assert request == {"custom_id": "k", "method": "POST", "url": "/v1/chat/completions"}


def test_openai_itself_is_asked_by_the_name_that_its_reasoning_models_take() -> None:
    model = ModelSettings.model_validate({"name": "openai/gpt-5-mini", "max_tokens": 40})
    body = OpenAIBatches(model).request(Call(model, (Message("user", "Why?"),), "answer"), "k")["body"]
    assert (body["max_completion_tokens"], body.get("max_tokens")) == (40, None)
