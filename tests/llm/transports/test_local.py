import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from pydantic import BaseModel

from prbgen.errors import InputError, MissingExtraError
from prbgen.llm.model import Call, CallError, Completion, Message
from prbgen.llm.transports.local import LocalServer, LocalTransport, model_file
from prbgen.llm.transports.weights import weights
from prbgen.model_settings import ModelSettings

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = ModelSettings.model_validate({"name": "local/smollm2-135m", "max_tokens": 24})


class Plain:
    """Sends calls over HTTP as they are. Keeps them, and how many were under way at once."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.under_way = self.most = 0
        self.closed = False

    async def complete(self, call: Call) -> Completion:
        self.calls.append(call)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            return await self._post(call)
        finally:
            self.under_way -= 1

    async def _post(self, call: Call) -> Completion:
        params: dict[str, Any] = dict(call.model.params)
        params.pop("api_key")
        body = {"messages": [vars(each) for each in call.messages], **(params.pop("extra_body", {})), **params}
        if call.schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": call.schema}}
        try:
            async with httpx.AsyncClient(timeout=call.timeout, trust_env=False) as client:
                response = await client.post(f"{call.model.api_base}/chat/completions", json=body)
        except httpx.TransportError as error:
            raise CallError("connection", repr(error)) from None
        reply = response.json()
        if response.status_code != 200:
            raise CallError("bad_request", reply["error"]["message"])
        choice = reply["choices"][0]
        return Completion(choice["message"]["content"], choice["finish_reason"], reply["usage"], None)

    async def close(self) -> None:
        self.closed = True


def call(text: str, model: ModelSettings = MODEL, timeout: float = 120, **more: Any) -> Call:
    return Call(model, (Message("user", text),), "answer", timeout, **more)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared() -> AsyncIterator[LocalTransport]:
    transport = LocalTransport(MODEL, Plain())
    yield transport
    await transport.close()


@pytest.fixture(scope="session")
def gguf() -> Path:
    return weights("smollm2-135m")


async def test_answers_and_costs_nothing(shared: LocalTransport) -> None:
    completion = await shared.complete(call("What is tea? Answer in one sentence."))
    assert len(completion.text.split()) > 3
    assert completion.cost_usd == 0.0
    assert completion.usage["completion_tokens"] <= 24


async def test_the_same_calls_one_after_another_give_the_same_texts_each_time() -> None:
    async def texts() -> list[str]:
        transport = LocalTransport(MODEL, Plain())
        try:
            return [(await transport.complete(call("Tell me about tea.", sample=n))).text for n in range(3)]
        finally:
            await transport.close()

    assert await texts() == await texts()


async def test_calls_at_once_are_all_answered(shared: LocalTransport) -> None:
    asked = [call(f"Tell me about {topic}.") for topic in ("tea", "bread", "rain", "wool", "salt", "maps")]
    replies = await asyncio.gather(*map(shared.complete, asked))
    assert all(reply.text and reply.usage["completion_tokens"] <= 24 for reply in replies)


async def test_another_sample_gives_another_text(shared: LocalTransport) -> None:
    texts = {(await shared.complete(call("Tell me about tea.", sample=n))).text for n in range(3)}
    assert len(texts) > 1


async def test_a_reply_follows_its_schema(shared: LocalTransport) -> None:
    class Aspect(BaseModel):
        aspect: str
        evidence: str | None

    class Reply(BaseModel):
        aspects: list[Aspect]

    model = MODEL.model_copy(update={"max_tokens": 3000})
    asked = call(
        "I love quiet, cheap gardens. What do I want? Answer in JSON.", model, schema=Reply.model_json_schema()
    )
    completion = await shared.complete(asked)
    assert completion.finish == "stop"
    reply = Reply.model_validate_json(completion.text)
    assert len(reply.aspects) <= 6


async def test_a_prompt_longer_than_the_context_is_refused_at_once(shared: LocalTransport) -> None:
    start = time.monotonic()
    with pytest.raises(CallError, match="exceeds the available context size") as caught:
        await shared.complete(call("tea " * 5000))
    assert caught.value.kind == "bad_request"
    assert time.monotonic() - start < 10


async def test_a_shared_beginning_is_read_once(shared: LocalTransport) -> None:
    profile = "I grow herbs on my balcony and write about it. " * 12
    await shared.complete(call(f"{profile} What should I plant?"))
    again = await shared.complete(call(f"{profile} What should I avoid?"))
    assert again.usage["prompt_tokens_details"]["cached_tokens"] > 100


async def test_settings_shape_the_calls_that_are_sent() -> None:
    inner = Plain()
    model = ModelSettings.model_validate(
        {"name": "local/smollm2-135m", "concurrency": 2, "context": 512, "seed": 5, "extra_body": {"top_k": 3}}
    )
    transport = LocalTransport(model, inner)
    try:
        short = model.model_copy(update={"max_tokens": 4})
        await asyncio.gather(*(transport.complete(call("Tea?", short)) for _ in range(5)))
        assert inner.most == 2
        with pytest.raises(CallError, match="512 tokens"):
            await transport.complete(call("tea " * 600, model, schema={"type": "string"}, timeout=60))
        first, last = inner.calls[0], inner.calls[-1]
        assert first.model.params["max_tokens"] == 4
        assert last.model.params == {
            "api_key": "none",
            "max_tokens": 1024,
            "seed": 5,
            "extra_body": {"repeat_penalty": 1.2, "top_k": 3},
        }
        assert last.model.name == "openai/local"
        assert last.schema == {"type": "string", "maxLength": 200}
        assert replace(last, model=model, schema=None) == call("tea " * 600, model, timeout=60)
    finally:
        await transport.close()
    assert inner.closed


async def test_closing_in_the_middle_of_a_reply_is_quick() -> None:
    inner = Plain()
    transport = LocalTransport(MODEL, inner)
    long = MODEL.model_copy(update={"max_tokens": 3000, "extra_body": {"ignore_eos": True}})
    reply = asyncio.create_task(transport.complete(call("Tell me a story.", long)))
    await _until(lambda: inner.under_way == 1)
    await asyncio.sleep(0.3)
    start = time.monotonic()
    await transport.close()
    with pytest.raises(CallError) as caught:
        await reply
    assert caught.value.kind == "connection"
    assert time.monotonic() - start < 5


async def test_a_server_that_died_is_started_again() -> None:
    server = LocalServer(MODEL.name, slots=1, context=512)
    try:
        first = await server.base_url()
        assert await server.base_url() == first
        assert server._process is not None
        server._process.kill()
        server._process.wait()
        assert await _answers(await server.base_url())
    finally:
        server.stop()


async def test_many_first_calls_start_one_server() -> None:
    server = LocalServer(MODEL.name, slots=1, context=512)
    try:
        assert len(set(await asyncio.gather(*(server.base_url() for _ in range(8))))) == 1
    finally:
        server.stop()


_ASKS = """
import asyncio, sys
from prbgen.llm.transports.local import LocalServer
import httpx

async def main():
    server = LocalServer("local/smollm2-135m", slots=2, context=512)
    url = await server.base_url()
    pattern = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?=x)y$"}}, "required": ["a"]}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": pattern}}
    body = {"messages": [{"role": "user", "content": "tea"}], "max_tokens": 4}
    for more in ({}, {"response_format": form}, {"messages": "no list"}):
        httpx.post(url + "/chat/completions", json={**body, **more}, timeout=60, trust_env=False)
    if len(sys.argv) > 1:
        print(url, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_the_terminal_stays_clean_and_leaving_without_close_is_no_fault(gguf: Path) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _ASKS, stdout=PIPE, stderr=PIPE)
    stdout, stderr = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, stdout, stderr) == (0, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
async def test_the_server_is_gone_with_the_process_that_started_it(gguf: Path, number: int) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _ASKS, "wait", stdout=PIPE, stderr=DEVNULL)
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().strip()
    assert await _answers(url)
    process.send_signal(number)
    await process.wait()
    give_up = time.monotonic() + 10
    while await _answers(url):
        assert time.monotonic() < give_up
        await asyncio.sleep(0.05)


async def test_cancelling_the_first_call_leaves_no_server_behind() -> None:
    server = LocalServer(MODEL.name, slots=1, context=512)
    start = asyncio.create_task(server.base_url())
    await _until(lambda: server._process is not None)
    process = server._process
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert process is not None
    assert process.wait(timeout=5) != 0


async def test_a_file_is_served_by_its_path(gguf: Path, tmp_path: Path) -> None:
    link = tmp_path / "mine.gguf"
    link.symlink_to(gguf)
    transport = LocalTransport(ModelSettings.model_validate({"name": f"local/{link}", "max_tokens": 4}), Plain())
    try:
        assert (await transport.complete(call("Tea?", MODEL.model_copy(update={"max_tokens": 4})))).text
    finally:
        await transport.close()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"", "is no GGUF file"),
        (b"<html>", "is no GGUF file"),
        (b"GGUF", "llama.cpp cannot serve .*failed to load model"),
        (b"half", "llama.cpp cannot serve .*corrupted or incomplete"),
        (b"noise", "llama.cpp cannot serve .*failed to load model"),
    ],
    ids=["missing", "empty", "a page", "magic alone", "cut off", "noise"],
)
async def test_a_bad_file_is_one_clear_line(gguf: Path, tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "bad.gguf"
    if content == b"half":
        with gguf.open("rb") as file:
            content = file.read(40_000_000)
    elif content == b"noise":
        with gguf.open("rb") as file:
            content = file.read(24) + os.urandom(100_000)
    if content is not None:
        path.write_bytes(content)
    server = LocalServer(f"local/{path}", slots=1, context=512)
    for _ in range(2):
        with pytest.raises(InputError, match=said) as caught:
            await server.base_url()
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


async def test_without_xllamacpp_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtraError, match=r"prbgen\[local\]"):
        await LocalServer(MODEL.name, slots=1, context=512).base_url()


async def test_an_unknown_name_or_a_senseless_context_is_refused() -> None:
    with pytest.raises(InputError, match="local/gpt-9"):
        model_file("local/gpt-9")
    for context in (0, "many", True):
        with pytest.raises(InputError, match="context is a number of tokens"):
            LocalTransport(MODEL.model_copy(update={"context": context}), Plain())


async def _answers(url: str) -> bool:
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            return (await client.get(f"{url}/models")).status_code == 200
    except httpx.TransportError:
        return False


async def _until(condition: Any) -> None:
    give_up = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up
        await asyncio.sleep(0.01)
