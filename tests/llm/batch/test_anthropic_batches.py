"""How a call is put to Anthropic's batches."""

from __future__ import annotations

from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.llm.batch.anthropic_batches import AnthropicBatches, _outcome
from prbgen.llm.batch.anthropic_params import params_of
from prbgen.llm.model import Call, CallError, Message
from prbgen.llm.transports.litellm_transport import LiteLLMTransport
from prbgen.model_settings import ModelSettings
from tests.llm.batch.providers_stand_in import ProvidersStandIn

NAME = "anthropic/claude-haiku-4-5"
MESSAGES = (Message("system", "Be brief."), Message("user", "A long profile. Why?"))
SCHEMA = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
    "additionalProperties": False,
}


def call(schema: dict[str, Any] | None = None, shared: int = 0, **settings: Any) -> Call:
    model = ModelSettings(**{"name": NAME} | settings)
    return Call(model, MESSAGES, "answer", schema=schema, shared=shared)


@pytest.mark.parametrize("shared", [0, 15])
@pytest.mark.parametrize("schema", [None, SCHEMA])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"temperature": 0.7, "max_tokens": 40, "stop": "END", "top_k": 5},
        {"max_completion_tokens": 40, "user": "me", "extra_headers": {"x-trace": "1"}, "timeout": 5},
        {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 4000},
    ],
)
async def test_the_request_asks_for_the_same_as_the_online_route(
    server: ProvidersStandIn, schema: dict[str, Any] | None, shared: int, settings: dict[str, Any]
) -> None:
    asked = call(schema, shared, api_base=server.url, **settings)
    transport = LiteLLMTransport()
    await transport.complete(asked)
    await transport.close()
    online = plain(server.online[0])
    batch = plain(params_of(asked))
    if form := online.pop("output_format", None):  # what the SDK calls output_config.format was called so before
        online["output_config"] = {"format": form}
    assert batch == online


def plain(body: dict[str, Any]) -> dict[str, Any]:
    """The request, with every text as a block."""
    body = {name: value for name, value in body.items() if name != "stream"}
    for message in body["messages"]:
        if isinstance(message["content"], str):
            message["content"] = [{"type": "text", "text": message["content"]}]
    return body


def test_a_schema_is_put_as_the_sdk_has_it() -> None:
    schema = {**SCHEMA, "properties": {"number": {"type": "integer", "minimum": 1}}}
    form = params_of(call(schema))["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert form["schema"]["properties"]["number"] == {"type": "integer", "description": "{minimum: 1}"}


def test_effort_and_a_schema_go_together() -> None:
    params = params_of(call(SCHEMA, output_config={"effort": "low"}))
    assert set(params["output_config"]) == {"effort", "format"}


@pytest.mark.parametrize("setting", [{"frequency_penalty": 0.1}, {"seed": 4}, {"reasoning_effort": "low"}])
def test_a_setting_that_anthropic_does_not_know_is_refused(setting: dict[str, Any]) -> None:
    (name,) = setting
    with pytest.raises(InputError, match=f'{NAME}: .* no setting "{name}"; leave it out'):
        params_of(call(**setting))


def test_a_model_that_nobody_knows_needs_a_maximum() -> None:
    with pytest.raises(InputError, match="set max_tokens"):
        params_of(call(name="anthropic/claude-of-next-year"))


def test_a_secret_is_not_written_into_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN_X", "hush-hush-hush")
    with pytest.raises(InputError, match="extra_body holds a secret"):
        params_of(call(extra_body={"note": "os.environ/SOME_TOKEN_X"}))


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("invalid_request_error", "bad_request"),
        ("authentication_error", "auth"),
        ("billing_error", "quota"),
        ("not_found_error", "unknown_model"),
        ("overloaded_error", "overload"),
        ("timeout_error", "server"),
        ("something_new", "bad_request"),
    ],
)
def test_errors_are_told_apart_by_their_type(kind: str, fault: str) -> None:
    outcome = _outcome({"type": "errored", "error": {"type": "error", "error": {"type": kind, "message": "m"}}})
    assert isinstance(outcome, CallError)
    assert (outcome.kind, str(outcome)) == (fault, "m")


@pytest.mark.parametrize("result", [{"type": "succeeded"}, {"type": "errored", "error": None}, {"type": "new"}])
def test_a_result_without_its_parts_is_a_fault(result: dict[str, Any]) -> None:
    assert isinstance(_outcome(result), CallError)


def test_the_address_may_be_given_as_to_the_online_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-anthropic")
    for address in ("http://x", "http://x/", "http://x/v1", "http://x/v1/messages"):
        client = AnthropicBatches(ModelSettings(name=NAME, api_base=address))._client
        assert str(client.base_url).rstrip("/") == "http://x"
