"""A provider that says 200 and sends something else than a completion: told, and given up when nothing else comes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from prbgen.errors import ModelError
from prbgen.llm.gateway import Gateway, Reply, Request
from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Call, CallError, Completion, Message
from prbgen.llm.online import Online
from prbgen.llm.route import UnansweredError
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.llm.transports.litellm_transport import LiteLLMTransport
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from tests.provider import Provider, completion, serving

WHOLE = completion("this")
MESSAGE = {"role": "assistant", "content": "Hello."}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def says(reply: Any) -> Callable[[web.Request, str, int], Awaitable[web.Response]]:
    async def fault(_request: web.Request, _prompt: str, _arrival: int) -> web.Response:
        if isinstance(reply, str):
            return web.Response(text=reply, content_type="text/html")
        return web.json_response(reply)

    return fault


def complete(reply: Any, name: str) -> Completion:
    async def once(url: str) -> Completion:
        transport = LiteLLMTransport()
        try:
            settings = ModelSettings(name=name, api_base=url)
            return await transport.complete(Call(settings, (Message("user", "hi"),), "answer", timeout=10))
        finally:
            await transport.close()

    with serving(Provider(fault=says(reply))) as provider:
        return asyncio.run(once(provider.url))


@pytest.mark.parametrize("name", ["openai/m", "hosted_vllm/m"])
@pytest.mark.parametrize(
    "reply",
    [
        {},
        {**WHOLE, "choices": []},
        {**WHOLE, "choices": None},
        {**WHOLE, "choices": {"a": 1}},
        {**WHOLE, "choices": [{"index": 0, "finish_reason": "stop"}]},
        {**WHOLE, "choices": [{"index": 0, "text": "of another endpoint"}]},
        [],
        None,
        "",
        "<html>a proxy's page</html>",
        '{"id": "cut',
    ],
)
def test_what_holds_no_completion_is_told_as_that(reply: Any, name: str) -> None:
    with pytest.raises(CallError) as error:
        complete(reply, name)
    assert error.value.kind == "no_completion"
    assert "Traceback" not in str(error.value)


@pytest.mark.parametrize("name", ["openai/m", "hosted_vllm/m"])
def test_an_error_in_a_reply_of_200_is_of_its_own_kind(name: str) -> None:
    with pytest.raises(CallError) as error:
        complete({"error": {"message": "too many requests", "code": 429}}, name)
    assert error.value.kind == "rate_limit"


@pytest.mark.parametrize("name", ["openai/m", "hosted_vllm/m"])
@pytest.mark.parametrize(
    "less",
    [
        {"usage": None},
        {"usage": {}},
        {"id": None},
        {"model": None},
        {"created": None},
        {"choices": [{"message": {"content": "Hello."}}]},
        {"choices": [{"index": 0, "message": MESSAGE, "finish_reason": "eos_token"}]},
        {"choices": [{"index": 0, "message": MESSAGE, "finish_reason": None}]},
    ],
)
def test_a_reply_that_lacks_something_else_is_taken(less: dict[str, Any], name: str) -> None:
    reply = {key: value for key, value in {**WHOLE, **less}.items() if value is not None}
    found = complete(reply, name)
    assert found.text
    assert found.finish == "stop"
    if "usage" in less:
        assert found.usage == {}
        assert found.cost_usd is None


@pytest.mark.parametrize("name", ["openai/m", "hosted_vllm/m"])
def test_an_outage_that_comes_with_a_page_stays_an_outage(name: str) -> None:
    async def page(_request: web.Request, _prompt: str, _arrival: int) -> web.Response:
        return web.Response(status=502, text="<html>bad gateway</html>", content_type="text/html")

    async def once(url: str) -> None:
        transport = LiteLLMTransport()
        settings = ModelSettings(name=name, api_base=url)
        with pytest.raises(CallError) as error:
            await transport.complete(Call(settings, (Message("user", "hi"),), "answer", timeout=10))
        await transport.close()
        assert error.value.kind == "server"

    with serving(Provider(fault=page)) as provider:
        asyncio.run(once(provider.url))


def ask(folder: Path, url: str, calls: int, traffic: Traffic, concurrency: int = 8) -> tuple[list[Any], list[str]]:
    """What came of calls, and what a live line would have said meanwhile."""
    model = ModelSettings(name="openai/m", api_base=url)
    lines: list[str] = []

    async def main() -> list[Any]:
        with Ledger(folder / "ledger.sqlite") as ledger:
            route = Online(ledger, LimitSettings(concurrency=concurrency), stop=asyncio.Event(), traffic=traffic)
            gateway = Gateway(ledger, Prompts(), route, traffic)
            requests = [
                Request("answer", f"q{each}", model, (Message("user", f"Say {each}."),), str, "assumed")
                for each in range(calls)
            ]
            asks = asyncio.gather(*map(gateway.ask, requests), return_exceptions=True)
            while not asks.done():
                lines.extend(map(str, traffic.holds()))
                await asyncio.sleep(0.1)
            await gateway.close()
            return await asks

    return asyncio.run(main()), lines


def test_a_server_that_gives_nothing_else_is_given_up_within_seconds_and_the_live_line_says_what_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prbgen.llm.acquaintance._PATIENCE", 1.0)
    monkeypatch.setattr("prbgen.llm.admission.breaker._SHORTEST", 0.5)
    empty = says({**WHOLE, "choices": []})

    async def one_sooner(request: web.Request, prompt: str, arrival: int) -> web.Response:
        # Time to see one fault before there are enough of them for a pause.
        if provider.arrived.total() > 1:
            await asyncio.sleep(0.5)
        return await empty(request, prompt, arrival)

    with serving(Provider(fault=one_sooner)) as provider:
        outcomes, lines = ask(tmp_path, provider.url, 20, Traffic())
        assert provider.arrived.total() <= 50
    assert f"openai/m answers at {provider.url} but gives no completions" in str(outcomes[-1])
    assert isinstance(outcomes[-1], ModelError)
    assert any("no reply from m so far (no completion: the reply has no choices)" in line for line in lines)
    assert any("m is paused (no completion: the reply has no choices)" in line for line in lines)


def test_a_single_call_is_given_up_sooner_too(tmp_path: Path) -> None:
    with serving(Provider(fault=says({**WHOLE, "choices": []}))) as provider:
        outcomes, _ = ask(tmp_path, provider.url, 1, Traffic())
        assert provider.arrived.total() == 3
    assert isinstance(outcomes[0], UnansweredError)
    assert outcomes[0].reason == "no reply (no completion): the reply has no choices"


def test_where_completions_come_too_such_a_reply_is_a_passing_fault(tmp_path: Path) -> None:
    async def now_and_then(_request: web.Request, prompt: str, arrival: int) -> web.Response | None:
        if arrival > 1 or int(prompt, 16) % 4:
            return None
        return web.json_response({**WHOLE, "choices": []})

    with serving(Provider(fault=now_and_then)) as provider:
        outcomes, _ = ask(tmp_path, provider.url, 20, Traffic())
        assert provider.arrived.total() > 20
    assert {type(outcome) for outcome in outcomes} == {Reply}
