"""Real LiteLLM against a server that answers as it is told, rightly and wrongly."""

from __future__ import annotations

import asyncio
import email.utils
import json
import re
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from prbgen.errors import PrbgenError
from prbgen.llm.admission import hints_of
from prbgen.llm.gateway import Gateway, Request
from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Call, CallError, Completion, Message
from prbgen.llm.online import Online
from prbgen.llm.prices import price_of
from prbgen.llm.route import UnansweredError
from prbgen.llm.templates import Prompts
from prbgen.llm.transports.litellm_faults import as_call_error
from prbgen.llm.transports.litellm_transport import LiteLLMTransport
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings

CANARY = "sk-canary-0123456789abcdef"


def completion(**choice: Any) -> dict[str, Any]:
    """A chat completion as OpenAI sends it."""
    message = {"role": "assistant", "content": "fine"} | choice.pop("message", {})
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"} | choice],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
    }


class Server:
    """Answers by what the last message says: a status, a fault, or anything in `replies`."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.retry_after: str | None = None
        self.replies: dict[str, Any] = {
            "null": completion(message={"content": None}, finish_reason="length"),
            "filtered": completion(message={"content": ""}, finish_reason="content_filter"),
            "refusal": completion(message={"content": None, "refusal": "I can't."}),
            "no choices": completion() | {"choices": []},
            "no usage": {name: value for name, value in completion().items() if name != "usage"},
        }
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._serve, daemon=True).start()
        assert self._ready.wait(10)

    def _serve(self) -> None:
        async def main() -> None:
            app = web.Application()
            app.router.add_post("/v1/chat/completions", self._chat)
            app.router.add_post("/v1/messages", self._anthropic)
            runner = web.AppRunner(app)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
            self._ready.set()
            await asyncio.Event().wait()

        self._loop.run_until_complete(main())

    async def _anthropic(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.json())
        usage = {
            "input_tokens": 40,
            "cache_read_input_tokens": 1000,
            "cache_creation_input_tokens": 60,
            "output_tokens": 7,
        }
        reply = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-haiku-4-5",
            "content": [{"type": "text", "text": "Hello."}],
            "stop_reason": "end_turn",
            "usage": usage,
        }
        return web.json_response(reply, headers={"anthropic-ratelimit-requests-remaining": "3"})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        says = body["messages"][-1]["content"]
        if says.isdigit() or says == "quota":
            kind = "insufficient_quota" if says == "quota" else "fault"
            error = {"message": f"no: {request.headers.get('Authorization')}", "type": kind, "code": kind}
            headers = {"Retry-After": self.retry_after} if self.retry_after else {}
            return web.json_response({"error": error}, status=429 if says == "quota" else int(says), headers=headers)
        if match := re.fullmatch(r"(\d{3}) (.+)", says):
            message = "a \ud800 b" if match[2] == "surrogate" else f"no: {match[2]}"
            return web.json_response({"error": {"message": message}}, status=int(match[1]))
        if says == "echo":
            key = request.headers["Authorization"]
            reply = completion(message={"content": f"Your key: {key}", "reasoning_content": key})
            return web.json_response(reply | {"usage": reply["usage"] | {"note": key, key: 1}})
        if says == "drop":
            assert request.transport is not None
            request.transport.close()
        if says == "hang":
            await asyncio.sleep(30)
        if says == "trickle":
            response = web.StreamResponse(headers={"Content-Type": "application/json"})
            await response.prepare(request)
            for _ in range(100):
                await response.write(b" ")
                await asyncio.sleep(0.2)
            return response
        if says == "html":
            return web.Response(text="<html>", content_type="text/html")
        if says == "broken":
            return web.Response(text='{"id": ', content_type="application/json")
        return web.json_response(self.replies.get(says, completion()))


@pytest.fixture(scope="module")
def server() -> Server:
    return Server()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def send(server: Server, says: str, name: str = "hosted_vllm/m", timeout: float = 20, **more: Any) -> Completion:
    settings = {"name": name, "api_base": server.url} | more.pop("settings", {})
    call = Call(ModelSettings(**settings), (Message("user", says),), "answer", timeout, **more)

    async def once() -> Completion:
        transport = LiteLLMTransport()
        try:
            return await transport.complete(call)
        finally:
            await transport.close()

    result: Completion = run(once())
    return result


@pytest.mark.parametrize("name", ["hosted_vllm/m", "openai/m"])
@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("400", "bad_request"), ("422", "bad_request"), ("401", "auth"), ("403", "auth"), ("404", "unknown_model"),
        ("408", "timeout"), ("429", "rate_limit"), ("quota", "quota"), ("500", "server"), ("503", "overload"),
        ("529", "overload"), ("html", "no_completion"), ("broken", "no_completion"),
        ("no choices", "no_completion"), ("drop", "connection"),
    ],
)  # fmt: skip
def test_each_fault_is_of_the_kind_that_says_what_can_be_done(server: Server, name: str, says: str, kind: str) -> None:
    with pytest.raises(CallError) as error:
        send(server, says, name)
    assert error.value.kind == kind


@pytest.mark.parametrize("name", ["hosted_vllm/m", "openai/m"])
@pytest.mark.parametrize(
    ("says", "kind"),
    [
        # A server that refuses a request may echo it: no post can stop a run or have a call repeated.
        ("400 insufficient_quota", "bad_request"),
        ("400 Your credit balance is too low", "bad_request"),
        ("400 LLM Provider NOT provided", "bad_request"),
        ("422 connection error", "bad_request"),
        ("413 too large", "bad_request"),
        ("400 This model's maximum context length is 9 tokens, and these are 10.", "too_long"),
        # Some providers say this of a limit that is over in a minute.
        ("429 You exceeded your current quota. Please retry in 36.1s.", "rate_limit"),
        ("402 pay first", "quota"),
    ],
)
def test_what_an_error_says_counts_only_where_the_status_leaves_it_open(
    server: Server, name: str, says: str, kind: str
) -> None:
    with pytest.raises(CallError) as error:
        send(server, says, name)
    assert error.value.kind == kind


def test_an_account_that_is_used_up_ends_the_run_also_where_the_provider_calls_it_a_bad_request() -> None:
    import litellm

    error = litellm.exceptions.BadRequestError("Your credit balance is too low to access the API.", "m", "anthropic")
    assert as_call_error(litellm.exceptions, error).kind == "quota"


def test_a_fault_is_described_in_text_that_can_be_stored(server: Server) -> None:
    with pytest.raises(CallError) as error:
        send(server, "400 surrogate", "openai/m")
    assert "a \ufffd b" in str(error.value)


def test_a_server_that_is_not_there_is_a_fault_of_the_connection() -> None:
    call = Call(ModelSettings(name="openai/m", api_base="http://127.0.0.1:9/v1"), (Message("user", "x"),), "answer", 20)
    with pytest.raises(CallError) as error:
        run(LiteLLMTransport().complete(call))
    assert error.value.kind == "connection"


@pytest.mark.parametrize("says", ["hang", "trickle"])
def test_a_time_out_is_over_the_whole_request(server: Server, says: str) -> None:
    started = time.monotonic()
    with pytest.raises(CallError, match="no reply within 1 s") as error:
        send(server, says, timeout=1)
    assert error.value.kind == "timeout"
    assert time.monotonic() - started < 8


@pytest.mark.parametrize("name", ["hosted_vllm/m", "openai/m"])
def test_retry_after_is_read_as_seconds_and_as_a_date(server: Server, name: str) -> None:
    later = email.utils.formatdate(time.time() + 60, usegmt=True)
    for header, low, high in (("7", 7, 7), (later, 50, 61), ("soon", None, None)):
        server.retry_after = header
        with pytest.raises(CallError) as error:
            send(server, "429", name)
        asked = error.value.retry_after
        if low is None or high is None:
            assert asked is None
        else:
            assert asked is not None
            assert low <= asked <= high
    server.retry_after = None


def test_no_fault_is_retried_below_our_own_policy(server: Server) -> None:
    for says in ("500", "429", "400"):
        before = len(server.bodies)
        with pytest.raises(CallError):
            send(server, says, "openai/m")
        assert len(server.bodies) == before + 1


@pytest.mark.parametrize(
    ("says", "text", "finish"),
    [("null", "", "length"), ("filtered", "", "filtered"), ("refusal", "I can't.", "filtered"), ("hi", "fine", "stop")],
)
def test_truncated_filtered_and_refused_replies_are_told_apart(
    server: Server, says: str, text: str, finish: str
) -> None:
    got = send(server, says, "openai/m")
    assert (got.text, got.finish) == (text, finish)


def test_usage_that_the_server_does_not_give_is_unknown_and_so_is_its_price(server: Server) -> None:
    got = send(server, "no usage", "openai/gpt-4o-mini")
    assert (got.usage, got.cost_usd) == ({}, None)


def test_a_known_price_is_applied_to_the_providers_own_record_of_usage(server: Server) -> None:
    got = send(server, "hi", "openai/gpt-4o-mini")
    assert got.usage["total_tokens"] == 4
    assert got.cost_usd is not None
    assert 0 < got.cost_usd < 1e-4
    assert send(server, "hi", "hosted_vllm/m").cost_usd is None


def test_schema_seed_and_parameters_reach_a_server_of_ones_own(server: Server) -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    for name in ("hosted_vllm/m", "openai/m"):
        send(server, "hi", name, schema=schema, sample=5, settings={"temperature": 0.3, "max_tokens": 9})
        body = server.bodies[-1]
        assert body["response_format"]["json_schema"]["schema"] == schema
        assert (body["seed"], body["temperature"], body["max_tokens"]) == (5, 0.3, 9)


def test_a_key_can_come_from_a_variable_that_the_recipe_names(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_OWN_KEY", "key-of-my-own")
    with pytest.raises(CallError, match="key-of-my-own"):
        send(server, "401", "openai/m", settings={"api_key": "os.environ/MY_OWN_KEY"})


@pytest.mark.parametrize("canary", [CANARY, 'quote"d\\canary-0123456789'])
def test_a_key_that_a_server_sends_back_is_in_no_file_reply_or_error(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, canary: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", canary)
    forms = {canary, json.dumps(canary)[1:-1]}

    async def ask(gateway: Gateway, says: str, name: str) -> str:
        model = ModelSettings.model_validate(
            {"name": name, "api_base": server.url, "api_key": "os.environ/OPENAI_API_KEY"}
        )
        try:
            reply = await gateway.ask(Request("answer", "q", model, (Message("user", says),), str, "assumed"))
        except (UnansweredError, PrbgenError) as error:
            return f"{error!r} {error.__cause__!r}"
        return str(reply.value)

    async def main() -> list[str]:
        with Ledger(tmp_path / "ledger.sqlite") as ledger:
            gateway = Gateway(ledger, Prompts(), Online(ledger, LimitSettings()))
            names = ("openai/m", "hosted_vllm/m")
            got = [await ask(gateway, says, name) for says in ("echo", "400", "401") for name in names]
            await gateway.close()
            # Before it is closed: the write-ahead log (and the reserve) is looked into, too.
            assert len(list(tmp_path.iterdir())) == 4
            for file in tmp_path.iterdir():
                assert not any(
                    each in file.read_bytes() for each in (canary.encode(), json.dumps(canary)[1:-1].encode())
                )
            return got

    got = run(main())
    assert got[:2] == ["Your key: Bearer [redacted]"] * 2
    assert all("[redacted]" in text for text in got)
    assert not any(form in text for form in forms for text in got)


def test_a_name_without_a_provider_is_an_unknown_model() -> None:
    call = Call(ModelSettings(name="nosuch"), (Message("user", "x"),), "answer", 5)
    with pytest.raises(CallError) as error:
        run(LiteLLMTransport().complete(call))
    assert error.value.kind == "unknown_model"


def test_what_is_sent_is_json_of_the_conversation(server: Server) -> None:
    send(server, "hi \u05d0\u0301 🙂")
    assert json.loads(json.dumps(server.bodies[-1]["messages"])) == [{"role": "user", "content": "hi \u05d0\u0301 🙂"}]


@pytest.mark.parametrize("name", ["openai/gpt-4o-mini", "anthropic/claude-haiku-4-5", "gemini/gemini-2.5-flash"])
def test_a_missing_key_is_a_fault_of_the_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    call = Call(ModelSettings(name=name), (Message("user", "x"),), "answer", 20)
    with pytest.raises(CallError) as error:
        run(LiteLLMTransport().complete(call))
    assert error.value.kind == "auth"


@pytest.mark.parametrize("name", ["hosted_vllm/m", "openai/m"])
def test_what_one_closes_another_one_can_do_without(server: Server, name: str) -> None:
    """A planner and a judge at one provider: either may be done first, and in one loop."""
    call = Call(ModelSettings(name=name, api_base=server.url), (Message("user", "hello"),), "answer", 20)

    async def asked() -> list[str]:
        first, second = LiteLLMTransport(), LiteLLMTransport()
        replies = [await first.complete(call), await second.complete(call)]
        await first.close()
        replies.append(await second.complete(call))
        await second.close()
        replies.append(await first.complete(call))
        await first.close()
        return [reply.text for reply in replies]

    assert run(asked()) == ["fine"] * 4


def test_anthropic_gets_a_mark_where_the_shared_prefix_ends_and_its_cached_tokens_are_counted(server: Server) -> None:
    base = server.url.removesuffix("/v1")
    settings = {"name": "anthropic/claude-haiku-4-5", "api_base": base, "api_key": "os.environ/OPENAI_API_KEY"}
    reply = send(server, "All that both share.\nAnd the rest.", settings=settings, shared=len("All that both share.\n"))
    (message,) = server.bodies[-1]["messages"]
    shared, rest = message["content"]
    assert (shared["text"], rest["text"]) == ("All that both share.\n", "And the rest.")
    assert (shared["cache_control"], "cache_control" in rest) == ({"type": "ephemeral"}, False)
    assert reply.usage["prompt_tokens"] == 1100
    assert reply.usage["prompt_tokens_details"]["cached_tokens"] == 1000
    # 40 at 1, 1000 at .1, 60 at 1.25 and 7 at 5 USD a million.
    assert reply.cost_usd == pytest.approx((40 + 100 + 75 + 35) / 1e6)
    price = price_of(ModelSettings(name="anthropic/claude-haiku-4-5"))
    assert price
    assert price.of(reply.usage) == pytest.approx(reply.cost_usd)
    assert hints_of(reply.headers, 0).requests


def test_a_provider_that_caches_by_itself_gets_plain_text(server: Server) -> None:
    send(server, "All that both share.\nAnd the rest.", "openai/gpt-4o-mini", shared=21)
    assert server.bodies[-1]["messages"][-1]["content"] == "All that both share.\nAnd the rest."
